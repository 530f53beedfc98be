import type { Host } from "../../process/host.ts";
import { background } from "../../run/end/background.ts";

/** Makes a shutdown wait for one due time of a schedule. A run under way makes it wait by itself, and must count only once. */
export class Stay {
  readonly #host: Host;
  #leave: (() => void) | undefined;

  constructor(host: Host) {
    this.#host = host;
    this.again();
  }

  /** Makes the shutdown wait again, because the run is about to end. */
  again(): void {
    this.#leave ??= background(this.#host).hold();
  }

  /** Begins a run, and leaves the waiting to it, unless the run is over at once. */
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
