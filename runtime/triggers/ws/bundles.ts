/** Holds frames back until it is released. */
export interface Bundle {
  readonly release: () => void;
}

/**
 * The connections that hold frames back in this turn of the event loop. All frames of a connection in one turn are sent by one write,
 * because the write is the largest cost of a frame.
 */
export class Bundles {
  #held: Bundle[] = [];

  add(bundle: Bundle): void {
    if (this.#held.push(bundle) === 1) setImmediate(() => this.#release());
  }

  #release(): void {
    const held = this.#held;
    this.#held = [];
    for (const bundle of held) bundle.release();
  }
}
