/** The calls to one origin at a moment. */
export interface Load {
  /** Calls that have a connection. */
  readonly busy: number;
  /** Calls that wait for one. */
  readonly waiting: number;
}

/**
 * Looks in a row at which the usual connections must be enough before the others are closed: a burst that comes back soon finds them open.
 */
const calmLooks = 10;

/**
 * Tells whether the usual connections of an origin would be enough where more are open. A process that was slow for a moment, for example
 * after its start, has opened more than it needs. Each of them has a cost: with four times as many, a call takes a fifth more processor
 * time.
 */
export class Demand {
  readonly #usual: number;
  readonly #patience: number;
  #ended = 0;
  #since: number;
  #calm = 0;

  /** `patience` is the milliseconds that a call may wait for a connection; `now` is milliseconds of a clock that never goes back. */
  constructor(usual: number, patience: number, now: number) {
    this.#usual = usual;
    this.#patience = patience;
    this.#since = now;
  }

  /** Counts a call that has ended. */
  ended(): void {
    this.#ended += 1;
  }

  /** True when the usual connections have been enough at the last looks, this one included. */
  isUsual(load: Load, now: number): boolean {
    const wait = this.#waitOf(load, Math.max(1, now - this.#since));
    this.#ended = 0;
    this.#since = now;
    this.#calm = wait < this.#patience ? this.#calm + 1 : 0;
    return this.#calm >= calmLooks;
  }

  /**
   * Milliseconds that a call would wait at most with the usual connections. By Little's law a call takes `busy / rate` at present. With
   * fewer connections it takes as long when the service needs the time, and less when this process does.
   */
  #waitOf({ busy, waiting }: Load, elapsed: number): number {
    const excess = busy + waiting - this.#usual;
    if (excess <= 0) return 0;
    const took = (busy * elapsed) / this.#ended;
    return (excess * took) / this.#usual;
  }
}
