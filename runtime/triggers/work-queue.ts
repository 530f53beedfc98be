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
    this.#waiting.push(work);
    this.#next();
    return true;
  }

  /** Forgets what waits; what is under way goes on to its end. */
  clear(): void {
    this.#waiting = [];
  }

  #next(): void {
    // When a piece of work ends at once, the next one is started here and not inside the first, so that the stack does not grow.
    if (this.#isStarting) return;
    this.#isStarting = true;
    for (let work = this.#take(); work !== undefined; work = this.#take()) work(() => this.#done());
    this.#isStarting = false;
  }

  #take(): Work | undefined {
    const work = this.#isBusy ? undefined : this.#waiting.shift();
    this.#isBusy ||= work !== undefined;
    return work;
  }

  #done(): void {
    this.#isBusy = false;
    this.#next();
  }
}
