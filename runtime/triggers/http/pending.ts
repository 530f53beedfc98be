import type { Follower } from "../../execution.ts";
import type { Run } from "../../run.ts";

/** Runs whose clients wait for the answer. */
export class PendingRuns implements Follower {
  #open = 0;
  #ended: (() => void) | undefined;

  follow(run: Run, done: () => void): () => void {
    this.#open += 1;
    run.whenOver(() => {
      done();
      this.#leave();
    });
    return () => this.#leave();
  }

  #leave(): void {
    this.#open -= 1;
    if (this.#open === 0) this.#ended?.();
  }

  /** Runs that have not ended. */
  get count(): number {
    return this.#open;
  }

  /** Resolves when all runs have ended. */
  ended(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#open === 0) resolve();
      else this.#ended = resolve;
    });
  }
}
