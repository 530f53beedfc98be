import { leastToken } from "../../keys/callback-token.ts";
import type { Act } from "../../run/run.ts";
import { any, object, string } from "../../shapes/shape.ts";
import { longestDelay } from "../../value/duration.ts";
import { Failure } from "../../value/failure.ts";
import type { Json } from "../../value/json.ts";
import type { Action } from "../feature.ts";

/** Null means unset, as for every field that held a marker. */
export interface WaitArgs {
  readonly token: string | null;
  readonly timeout: number | null;
}

/**
 * Waits until a caller with the token posts to `/_pipewright/callback/<token>`, and gives `{body, headers, received_at}` of that request
 * (spec/surfaces 14). The run leaves the process meanwhile. When its time is over, the action fails with status 408.
 */
export async function wait_for_callback(act: Act, { token, timeout }: WaitArgs): Promise<Json> {
  const { journal } = act.run;
  if (journal?.isLasting !== true) throw new Failure("evaluation", "wait_for_callback needs a durable run store");
  if (token === null || [...token].length < leastToken)
    throw new Failure("evaluation", `the token of wait_for_callback has fewer than ${leastToken} characters`);
  if (timeout === null || !(timeout > 0 && timeout <= longestDelay))
    throw new Failure("evaluation", `the timeout of wait_for_callback is none from 1ms to 30d`);
  const payload = await journal.callback(act, token, timeout);
  if (payload === undefined) throw new Failure("timeout", "callback timed out", { status: 408 });
  return payload;
}

export const spec: Action<WaitArgs> = {
  summary: "Wait until somebody answers by a link.",
  effect: "clock",
  needs: "answer",
  origin: "request",
  secret: ["token"],
  schema: {
    type: "object",
    required: ["token", "timeout"],
    additionalProperties: false,
    properties: {
      token: {
        type: "string",
        description:
          "Names the wait: whoever posts to /_pipewright/callback/<token> ends it. At least 16 characters that nobody can guess, made by an earlier action (a|uuid|), so that a mail can carry the link.",
      },
      timeout: {
        type: ["string", "number"],
        format: "duration",
        description: "How long to wait, at most 30d; the action fails then with status 408.",
      },
    },
  },
  run: wait_for_callback,
  shape: () => object({ body: any, headers: any, received_at: string }),
};
