/** A rate with bursts: so many at once, and as many again in each second. */
export class TokenBucket {
  readonly #perSecond: number;
  #left: number;
  #at: number;

  /** `now`: milliseconds of a clock that never goes back, here and below. */
  constructor(perSecond: number, now: number) {
    this.#perSecond = perSecond;
    this.#left = perSecond;
    this.#at = now;
  }

  /** False when there have been too many. */
  take(now: number): boolean {
    this.#fill(now);
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }

  /** Takes as much, also more than is left: then something is owed, at most what comes back within a second. */
  charge(now: number, amount: number): void {
    this.#fill(now);
    this.#left = Math.max(this.#left - amount, -this.#perSecond);
  }

  owes(now: number): boolean {
    this.#fill(now);
    return this.#left < 0;
  }

  #fill(now: number): void {
    this.#left = Math.min(this.#perSecond, this.#left + ((now - this.#at) * this.#perSecond) / 1_000);
    this.#at = now;
  }
}
