import type { JsonObject } from "../../../value/json.ts";

/** One response with its body as received. */
export interface Answer {
  readonly status: number;
  readonly headers: JsonObject;
  readonly bytes: Buffer;
}
