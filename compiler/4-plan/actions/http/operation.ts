import type { JsonObject } from "#runtime/value/json.ts";

/** An operation of the service that an `http` block calls. */
export interface Operation {
  /** The HTTP method; `ANY` stands for all methods. */
  readonly method: string;
  /** The path, with parameters as `{id}`; absent where any path is possible. */
  readonly path?: string;
  /** The OpenAPI object of the operation. */
  readonly of: JsonObject;
}
