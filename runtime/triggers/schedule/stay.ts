import type { Host } from "../../process/host.ts";
import { background } from "../../run/end/background.ts";

/** Keeps a shutdown waiting for one time of a schedule. A run does so by itself while it is under way, and counts once. */
export class Stay {
  readonly #host: Host;
  #leave: (() => void) | undefined;

  constructor(host: Host) {
    this.#host = host;
    this.again();
  }

  /** The run is about to end. */
  again(): void {
    this.#leave ??= background(this.#host).hold();
  }

  /** Begins a run, and leaves the wait to it unless it is over at once. */
  during(begin: () => void): void {
    const before = this.#leave;
    this.#leave = undefined;
    begin();
    before?.();
  }

  leave(): void {
    this.#leave?.();
    this.#leave = undefined;
  }
}
