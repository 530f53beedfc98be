import type { Act } from "../../run/run.ts";
import { Failure } from "../../value/failure.ts";
import type { Json } from "../../value/json.ts";
import type { Action } from "../feature.ts";

/** A block after evaluation. Null means unset, as for every field that held a marker. */
interface Args {
  readonly target: string | null;
}

/**
 * Gives `{target}`. Say what it does, what the data is afterwards, which failures it knows, and that it ends early when the run is
 * cancelled.
 */
export async function feature_name(act: Act, { target }: Args): Promise<Json> {
  act.throwIfCancelled();
  if (target === null) throw new Failure("evaluation", "field target: expected string, got null");
  return { target };
}

export const spec: Action<Args> = {
  summary: "Say in a sentence what it does.",
  schema: {
    type: "object",
    required: ["target"],
    additionalProperties: false,
    properties: { target: { type: "string", description: "Say what it is." } },
  },
  // With addresses that may come from data: addresses; with secret fields: secret.
  effect: "network",
  run: feature_name,
};
