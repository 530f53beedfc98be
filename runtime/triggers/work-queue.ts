/** Something to do; `done` is called once, when it is. */
export type Work = (done: () => void) => void;

/** Work that is done one piece after the other, in the order in which it comes. */
export class WorkQueue {
  readonly #most: number;
  #waiting: Work[] = [];
  #isBusy = false;
  #isStarting = false;

  /** `most`: pieces that wait for the one that is under way. */
  constructor(most: number) {
    this.#most = most;
  }

  /** True while no more is taken. */
  get isFull(): boolean {
    return this.#waiting.length >= this.#most;
  }

  /** False when too many wait already. */
  add(work: Work): boolean {
    if (this.isFull) return false;
    if (this.#isBusy || this.#isStarting) this.#waiting.push(work);
    else this.#start(work);
    return true;
  }

  /** Forgets what waits; what is under way goes on to its end. */
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
    // When a piece of work ends at once, the next one is started by the loop and not inside the first, so that the stack does not grow.
    if (!this.#isStarting) this.#start(this.#waiting.shift());
  };
}
