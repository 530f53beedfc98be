/** A piece of work; it calls `done` once, when it is finished. */
export type Work = (done: () => void) => void;

/** Does pieces of work one after the other, in the order in which they are added. */
export class WorkQueue {
  readonly #most: number;
  #waiting: Work[] = [];
  #isBusy = false;
  #isStarting = false;

  /** `most` is the number of pieces that may wait for the one under way. */
  constructor(most: number) {
    this.#most = most;
  }

  /** True while no further piece is accepted. */
  get isFull(): boolean {
    return this.#waiting.length >= this.#most;
  }

  /** Adds a piece of work; false when too many wait already. */
  add(work: Work): boolean {
    if (this.isFull) return false;
    if (this.#isBusy || this.#isStarting) this.#waiting.push(work);
    else this.#start(work);
    return true;
  }

  /** Forgets waiting work; work under way continues to its end. */
  clear(): void {
    this.#waiting = [];
  }

  #start(first: Work | undefined): void {
    this.#isStarting = true;
    for (let work = first; work !== undefined; work = this.#isBusy ? undefined : this.#waiting.shift()) {
      this.#isBusy = true;
      work(this.#done);
    }
    this.#isStarting = false;
  }

  readonly #done = (): void => {
    this.#isBusy = false;
    // When a piece of work ends at once, the loop starts the next one, not the piece itself, so that the stack does not grow.
    if (!this.#isStarting) this.#start(this.#waiting.shift());
  };
}
