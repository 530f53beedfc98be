import type { Outgoing } from "./outgoing.ts";

/** Bytes of the large bodies of all requests of this process that are not answered yet. */
let all = 0;

/** An answer; it closes when it was sent or its client has disconnected. */
export type ClosingAnswer = Pick<Outgoing, "once" | "destroyed">;

/**
 * The bytes that a large body needs from its arrival until its request is answered. Their sum must be bounded, because many clients that
 * each keep to the bound of one body could otherwise fill the memory; with compressed bodies, a thousandth of the bytes would do.
 */
export class Held {
  readonly #response: ClosingAnswer;
  readonly #most: number;
  #own = 0;

  constructor(response: ClosingAnswer, most: number) {
    this.#response = response;
    this.#most = most;
  }

  /** False when no other body fits beside the held ones, and when the client has disconnected, since it gets no answer. */
  get hasRoom(): boolean {
    return !this.#response.destroyed && (all < this.#most || all === this.#own);
  }

  /** Counts more bytes; false when all bodies together would be too large, which never holds for a single body. */
  add(bytes: number): boolean {
    if (!this.hasRoom || (all > this.#own && all + bytes > this.#most)) return false;
    if (this.#own === 0) this.#response.once("close", () => (all -= this.#own));
    this.#own += bytes;
    all += bytes;
    return true;
  }
}
