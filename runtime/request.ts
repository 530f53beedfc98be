import type { Host } from "./host.ts";
import type { Json, JsonObject } from "./json.ts";

/** What a trigger delivers (surfaces.md 0). Missing parts are null or empty. */
export interface Request {
  /** The run's UUID: `run_uuid`, `x-request-id`. */
  readonly id: string;
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
}

/** What a run has that nobody asked for: no method, no body, no caller. */
export function bareRequest(host: Host, trigger: string): Request {
  return {
    id: host.uuid(),
    trigger,
    method: null,
    path: null,
    body: null,
    raw_body: null,
    params: {},
    headers: {},
    ip: {},
  };
}
