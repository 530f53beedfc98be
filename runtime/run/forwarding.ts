import type { Json, JsonObject } from "../value/json.ts";

/**
 * Gives a function that gets each piece of a response body, and a last call without a piece at the end; undefined when no action reads
 * along. The function must not throw. It gives true when it needs no further piece.
 */
export type ResponseTap = (status: number, headers: JsonObject) => ((chunk?: Buffer) => unknown) | undefined;

/** The evaluated fields of `stream`. Null means unset. */
export interface StreamArgs {
  /** A channel, or a list of them. */
  readonly channel: Json;
  /** Milliseconds. */
  readonly flush_ms?: number | null;
  /** Code points. */
  readonly flush_chars?: number | null;
}

/** Forwards the text of a stream that an action reads, from its start until it has settled. */
export interface Forwarding {
  /** Gives a tap that reads along responses whose status is wanted. */
  readonly tap: (isWanted: (status: number) => boolean) => ResponseTap;
  /** Begins the text anew, because another attempt begins. */
  readonly again: () => void;
  /** Ends the text, because the action has settled. */
  readonly end: () => void;
}
