import type { Outgoing } from "./outgoing.ts";

/** Bytes of the large bodies of all requests that this process has not answered yet. */
let all = 0;

/** An answer, which is closed when it was sent or its client has gone. */
export type Answered = Pick<Outgoing, "once" | "destroyed">;

/**
 * The bytes that a large body takes from its arrival until its request is answered. Without a bound of their sum, many clients that each
 * keep to the bound of a body would fill the memory, and compressed bodies would with a thousandth of its bytes.
 */
export class Held {
  readonly #response: Answered;
  readonly #most: number;
  #own = 0;

  constructor(response: Answered, most: number) {
    this.#response = response;
    this.#most = most;
  }

  /** False when no other body fits beside those that are held, and when the client has gone, who will not come back for an answer. */
  get hasRoom(): boolean {
    return !this.#response.destroyed && (all < this.#most || all === this.#own);
  }

  /** Counts more bytes; false when all bodies would be too much, which one alone never is. */
  add(bytes: number): boolean {
    if (!this.hasRoom || (all > this.#own && all + bytes > this.#most)) return false;
    if (this.#own === 0) this.#response.once("close", () => (all -= this.#own));
    this.#own += bytes;
    all += bytes;
    return true;
  }
}
