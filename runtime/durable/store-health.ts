import type { Log } from "../process/host.ts";
import { outageReason } from "../store/outage.ts";
import type { Timers } from "./timers.ts";

/** The outside of a health: `lastsMs` is how long nobody need ask after a failure, and `failed` is called at each one. */
export interface HealthParts {
  readonly timers: Timers;
  readonly log: Log;
  readonly lastsMs: number;
  readonly failed: () => void;
}

/**
 * The health of the store as a node knows it by its own calls. An outage ends when something has been written: a disk that is full, or
 * takes nothing, still answers those who read.
 */
export class StoreHealth {
  readonly #parts: HealthParts;
  #since: number | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: HealthParts) {
    this.#parts = parts;
  }

  /** True while the store has failed lately: nobody need wait for it to find that out. */
  get isDown(): boolean {
    return !this.isAnswered && this.#parts.timers.monotonic() - this.#failedAt < this.#parts.lastsMs;
  }

  /** True unless a call has failed, and nothing was written since. */
  get isAnswered(): boolean {
    return this.#since === undefined;
  }

  /** How long the store has been away. */
  get downMs(): number {
    return this.#since === undefined ? 0 : this.#parts.timers.monotonic() - this.#since;
  }

  /** The store has taken what was written. */
  written(): void {
    if (!this.isAnswered) this.#parts.log("info", "durable runs: the store answers again");
    this.#since = undefined;
  }

  /** The store has not answered, or has not taken what was written. */
  failed(error: unknown): void {
    if (this.isAnswered) this.#parts.log("error", `durable runs: the store does not answer: ${outageReason(error)}`);
    this.#failedAt = this.#parts.timers.monotonic();
    this.#since ??= this.#failedAt;
    this.#parts.failed();
  }
}
