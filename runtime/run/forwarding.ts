import type { Json, JsonObject } from "../value/json.ts";

/**
 * Gives what reads the body of a response along, piece by piece, and is called without one at its end; undefined: nobody does. It must not
 * throw. Where it gives true, the rest of the body is not wanted.
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
