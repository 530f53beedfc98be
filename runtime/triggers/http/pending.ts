import { conclude } from "../../conclude.ts";
import type { Host } from "../../host.ts";
import { longestWait } from "../../lib/longest-wait.ts";
import type { Run } from "../../run.ts";
import type { Outgoing } from "./outgoing.ts";
import { clientGone, refusals, refuse } from "./refusal.ts";

/** A run whose client waits for the answer. */
interface Waiting {
  readonly run: Run;
  readonly response: Outgoing;
  /** By the monotonic clock of the host. */
  readonly deadline: number;
}

/** Runs that have to wait for something. One timer serves them all: to set and clear one for each took longer than all else that waiting takes. */
export class PendingRuns {
  readonly #host: Host;
  /** In the order of their deadlines, since all are given the same time. */
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | undefined;
  /** Runs that have not ended, also those whose client has gone. */
  #open = 0;
  #ended: (() => void) | undefined;

  constructor(host: Host) {
    this.#host = host;
  }

  /**
   * Waits for a run and calls `done`, unless the client goes away or the time of a run is up before: both cancel the run, and the second is
   * answered by 504. The result forgets the run, once its client has been answered and somebody else waits for it.
   */
  add(run: Run, response: Outgoing, done: () => void): () => void {
    const { limits, monotonic } = this.#host;
    const waiting = { run, response, deadline: monotonic() + Math.min(limits.runTimeoutMs, longestWait) };
    this.#open += 1;
    this.#waiting.add(waiting);
    if (this.#timer === undefined) this.#watch(waiting);
    let isGone = false;
    response.on("close", () => {
      isGone = this.#waiting.delete(waiting);
      if (isGone) run.abandon("client went away");
    });
    run.whenOver(() => {
      if (this.#waiting.delete(waiting)) done();
      else {
        if (isGone) run.interface.capture?.note(run, clientGone, "aborted");
        run.span?.endWith(clientGone);
      }
      this.#leave();
    });
    return () => {
      this.#waiting.delete(waiting);
      this.#leave();
    };
  }

  #leave(): void {
    this.#open -= 1;
    if (this.#open === 0) this.#ended?.();
  }

  /** Runs that have not ended. */
  get count(): number {
    return this.#open;
  }

  /** Cuts the connections of all clients that wait, which cancels their runs. */
  cut(): void {
    for (const { response } of this.#waiting) response.destroy();
  }

  /** Resolves when all runs have ended. */
  ended(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#open === 0) resolve();
      else this.#ended = resolve;
    });
  }

  #watch({ deadline }: Waiting): void {
    this.#timer = setTimeout(() => this.#expire(), deadline - this.#host.monotonic());
    // It may outlast the run that it was set for.
    this.#timer.unref();
  }

  #expire(): void {
    this.#timer = undefined;
    for (const waiting of this.#waiting) {
      if (waiting.deadline > this.#host.monotonic()) {
        this.#watch(waiting);
        return;
      }
      this.#waiting.delete(waiting);
      waiting.run.cancel("run timed out");
      refuse(waiting.response, refusals.timeout, waiting.run.requestId);
      conclude(waiting.run, refusals.timeout.status, {});
    }
  }
}
