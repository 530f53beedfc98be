import { longestWait } from "../value/duration.ts";

/** The clock and the timers of an engine. */
export interface Timers {
  /** Milliseconds of a clock that never goes back. */
  readonly monotonic: () => number;
  /** Calls `call` after `ms` milliseconds; the result cancels that. The timer keeps no process alive. */
  readonly after: (ms: number, call: () => void) => () => void;
}

/** Real timers, with the given monotonic clock. */
export const timersOf = (monotonic: () => number): Timers => ({
  monotonic,
  after: (ms, call) => {
    let timer: NodeJS.Timeout;
    const wait = (left: number): void => {
      timer = setTimeout(() => (left > longestWait ? wait(left - longestWait) : call()), Math.min(left, longestWait)).unref();
    };
    wait(ms);
    return () => clearTimeout(timer);
  },
});

/** Work that is done again and again, one turn after the other. A turn gives the milliseconds until the next one, or ends the loop. */
export class Loop {
  readonly #timers: Timers;
  readonly #turn: () => Promise<number | undefined>;
  #cancel: (() => void) | undefined;
  #isBusy = false;
  #isWanted = false;
  #isOver = false;

  /** `turn` never rejects. */
  constructor(timers: Timers, turn: () => Promise<number | undefined>) {
    this.#timers = timers;
    this.#turn = turn;
  }

  /** Does the first turn after `ms` milliseconds, unless a turn is planned or under way. */
  start(ms: number): void {
    if (this.#isOver || this.#isBusy || this.#cancel !== undefined) return;
    this.#cancel = this.#timers.after(ms, () => void this.#run());
  }

  /** Does a turn now, or right after the one that is under way. */
  wake(): void {
    if (this.#isBusy) this.#isWanted = true;
    else {
      this.#cancel?.();
      this.#cancel = undefined;
      this.start(0);
    }
  }

  stop(): void {
    this.#isOver = true;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  async #run(): Promise<void> {
    this.#cancel = undefined;
    this.#isBusy = true;
    this.#isWanted = false;
    const ms = await this.#turn();
    this.#isBusy = false;
    if (this.#isWanted) this.start(0);
    else if (ms !== undefined) this.start(ms);
  }
}
