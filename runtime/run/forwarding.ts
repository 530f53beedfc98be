import type { Json, JsonObject } from "../value/json.ts";

/**
 * Gives a function that gets each piece of a response body, and a last call without a piece at the end; undefined when nobody reads along.
 * The function must not throw. It gives true when it wants no more.
 */
export type ResponseTap = (status: number, headers: JsonObject) => ((chunk?: Buffer) => unknown) | undefined;

/** The fields of `stream` that are evaluated. Null means unset. */
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
  /** Reads responses with a wanted status along. */
  readonly tap: (isWanted: (status: number) => boolean) => ResponseTap;
  /** Another attempt begins: the text begins anew. */
  readonly again: () => void;
  /** The action has settled. */
  readonly end: () => void;
}
