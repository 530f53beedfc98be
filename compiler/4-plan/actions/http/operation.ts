import type { JsonObject } from "#runtime/value/json.ts";

/** An operation of a service. */
export interface Operation {
  /** ANY is all of them. */
  readonly method: string;
  /** With parameters as `{id}`; absent where it may be any. */
  readonly path?: string;
  /** The object of OpenAPI that describes it. */
  readonly of: JsonObject;
}
