/** Holds something back until it is released. */
export interface Bundle {
  readonly release: () => void;
}

/**
 * The connections that hold frames back in this turn of the event loop: what a connection gets in one turn goes out in one write, which is
 * what a frame costs most.
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
