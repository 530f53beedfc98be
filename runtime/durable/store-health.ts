import type { Log } from "../process/host.ts";
import { outageReason } from "../store/outage.ts";
import type { Timers } from "./timers.ts";

/**
 * Everything that a health takes from outside. `lastsMs` is how many milliseconds no call need be tried after a failure; `failed` is called
 * at each failure.
 */
export interface HealthParts {
  readonly timers: Timers;
  readonly log: Log;
  readonly lastsMs: number;
  readonly failed: () => void;
}

/**
 * The health of the store, as a node knows it from its own calls. An outage ends when a write succeeds, since a full or read-only disk
 * still answers reads.
 */
export class StoreHealth {
  readonly #parts: HealthParts;
  #since: number | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: HealthParts) {
    this.#parts = parts;
  }

  /** True while the last failure is so recent that a call need not wait for another one. */
  get isDown(): boolean {
    return !this.isAnswered && this.#parts.timers.monotonic() - this.#failedAt < this.#parts.lastsMs;
  }

  /** True unless a call has failed and no write has succeeded since. */
  get isAnswered(): boolean {
    return this.#since === undefined;
  }

  /** Milliseconds for which the store has been away. */
  get downMs(): number {
    return this.#since === undefined ? 0 : this.#parts.timers.monotonic() - this.#since;
  }

  /** Notes that a write has succeeded. */
  written(): void {
    if (!this.isAnswered) this.#parts.log("info", "durable runs: the store answers again");
    this.#since = undefined;
  }

  /** Notes that a call has failed. */
  failed(error: unknown): void {
    if (this.isAnswered) this.#parts.log("error", `durable runs: the store does not answer: ${outageReason(error)}`);
    this.#failedAt = this.#parts.timers.monotonic();
    this.#since ??= this.#failedAt;
    this.#parts.failed();
  }
}
