import type { Act } from "../../run/run.ts";
import { Failure } from "../../value/failure.ts";
import type { Json } from "../../value/json.ts";
import type { Action } from "../feature.ts";

/** A block after evaluation. Null means unset, as for every field that held a marker. */
interface Args {
  readonly target: string | null;
}

/** Say what the action does, what the data is afterwards, which failures it knows, and that it ends early when the run is cancelled. */
export async function feature_name(act: Act, { target }: Args): Promise<Json> {
  act.signal.throwIfAborted();
  throw new Failure("evaluation", `feature_name is not written yet, so nothing was done with ${target}`);
}

export const spec: Action<Args> = {
  summary: "",
  schema: {
    type: "object",
    required: ["target"],
    additionalProperties: false,
    properties: { target: { type: "string", description: "" } },
  },
  effect: "network",
  run: feature_name,
};
