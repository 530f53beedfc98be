/** Notices when a connected database leaves a question without an answer for long, and when it answers again. */
export class Silence {
  readonly #ms: number;
  readonly #tell: (isSilent: boolean) => void;
  #isSilent = false;

  constructor(ms: number, tell: (isSilent: boolean) => void) {
    this.#ms = ms;
    this.#tell = tell;
  }

  /** A question is asked; the result takes whether it was answered, or failed. */
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
