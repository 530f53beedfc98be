import type { Json, JsonObject } from "../value/json.ts";

/** The name that a caller has given its request. */
export interface CallerId {
  readonly text: string;
  /** A trusted proxy has sent it. */
  readonly isTrusted: boolean;
}

/** The request that a trigger delivers (spec/surfaces 0). Missing parts are null or empty. */
export interface Request {
  /** The run's UUID, which is always ours: `run_uuid`. */
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
  /** The body byte for byte, where a trigger has it. */
  readonly bytes?: Buffer;
  /** The query as it was written, without its question mark; a character a byte. */
  readonly query?: string;
  /** The run that has started this one. */
  readonly parent?: string;
  /** How many runs have led here, each by a request or a message to the next. Absent: none. */
  readonly hops?: number;
  /** The interfaces whose agents have led here, each by a call of the next as a tool. Absent: none. */
  readonly agents?: readonly string[];
}
