/** A rate with bursts: `perSecond` uses at once, and as many again in each second. */
export class TokenBucket {
  readonly #perSecond: number;
  #left: number;
  #at: number;

  /** `now` is milliseconds of a clock that never goes back, in all methods. */
  constructor(perSecond: number, now: number) {
    this.#perSecond = perSecond;
    this.#left = perSecond;
    this.#at = now;
  }

  /** Takes one use; false when none is left. */
  take(now: number): boolean {
    this.#fill(now);
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }

  /** Takes `amount` uses, even more than are left. The bucket then owes the rest, at most the uses of one second. */
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
