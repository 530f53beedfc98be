/** Notices when a connected database takes long to answer a question, and when it answers again. */
export class Silence {
  readonly #ms: number;
  readonly #tell: (isSilent: boolean) => void;
  #isSilent = false;

  constructor(ms: number, tell: (isSilent: boolean) => void) {
    this.#ms = ms;
    this.#tell = tell;
  }

  /** Notes a question. The caller calls the result when the question is over: with true after an answer, with false after a failure. */
  asked(): (isAnswered: boolean) => void {
    const timer = setTimeout(() => this.#is(true), this.#ms);
    timer.unref();
    return (isAnswered) => {
      clearTimeout(timer);
      if (isAnswered) this.#is(false);
    };
  }

  #is(isSilent: boolean): void {
    if (isSilent === this.#isSilent) return;
    this.#isSilent = isSilent;
    this.#tell(isSilent);
  }
}
