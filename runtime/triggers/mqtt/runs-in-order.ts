import { limits } from "./limits.ts";

/** The runs of one client's messages: one after the other, in the order of the messages, not too many a second (surfaces.md 4). */
export class InOrder {
  readonly #now: () => number;
  readonly #waiting: (() => Promise<void>)[] = [];
  #isRunning = false;
  /** Runs that the client may begin at once; they grow back. */
  #allowance: number = limits.runsPerSecond;
  #counted: number;

  /** `now` is a clock that never goes back, in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
    this.#counted = now();
  }

  /** False when the client is too fast. The work must not reject. */
  add(work: () => Promise<void>): boolean {
    this.#grow();
    if (this.#allowance < 1 || this.#waiting.length >= limits.waitingRuns) return false;
    this.#allowance -= 1;
    this.#waiting.push(work);
    if (!this.#isRunning) void this.#run();
    return true;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let work = this.#waiting.shift(); work !== undefined; work = this.#waiting.shift()) await work();
    this.#isRunning = false;
  }

  #grow(): void {
    const now = this.#now();
    this.#allowance = Math.min(limits.runsPerSecond, this.#allowance + ((now - this.#counted) * limits.runsPerSecond) / 1000);
    this.#counted = now;
  }
}
