import type { Json, JsonObject } from "../value/json.ts";

/** The id that a caller has given its request. */
export interface CallerId {
  readonly text: string;
  /** True when a trusted proxy has sent it. */
  readonly isTrusted: boolean;
}

/** The request that a trigger delivers (spec/surfaces 0). Missing parts are null or empty. */
export interface Request {
  /** The UUID of the run, which this process makes: `run_uuid`. */
  readonly id: string;
  readonly caller?: CallerId | undefined;
  readonly trigger: string;
  readonly method: string | null;
  readonly path: string | null;
  readonly body: Json;
  readonly raw_body: string | null;
  readonly params: JsonObject;
  readonly headers: JsonObject;
  readonly ip: JsonObject;
  /** The raw bytes of the body, where the trigger has them. */
  readonly bytes?: Buffer;
  /** The query as it was written, without its question mark, one character for each byte. */
  readonly query?: string;
  /** The run that has started this one. */
  readonly parent?: string;
  /** The number of runs that have led to this one, each by a request or a message to the next. Absent: none. */
  readonly hops?: number;
  /** The interfaces whose agents have led to this run, each by a call of the next as a tool. Absent: none. */
  readonly agents?: readonly string[];
}
