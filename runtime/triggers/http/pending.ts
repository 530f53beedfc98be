import type { Run } from "../../run/run.ts";
import { Roster } from "../../value/roster.ts";
import type { Outgoing } from "./outgoing.ts";

/** Runs whose clients wait for the answer. */
export class PendingRuns {
  readonly #responses = new Roster<Outgoing>();
  #ended: (() => void) | undefined;

  /** Counts a run until it is over, and then calls `done`. The result stops that. */
  add(run: Run, response: Outgoing, done: () => void): () => void {
    const remove = this.#responses.add(response);
    const leave = (): void => this.#leave(remove);
    run.whenOver(() => {
      done();
      leave();
    });
    return leave;
  }

  #leave(remove: () => void): void {
    remove();
    if (this.#responses.size === 0) this.#ended?.();
  }

  /** Cuts the connections of all clients that wait, which cancels their runs. */
  cut(): void {
    for (const response of this.#responses) response.destroy();
  }

  /** The number of runs that have not ended. */
  get count(): number {
    return this.#responses.size;
  }

  /** Resolves when all runs have ended. */
  ended(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#responses.size === 0) resolve();
      else this.#ended = resolve;
    });
  }
}
