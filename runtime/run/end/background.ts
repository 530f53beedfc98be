import type { Host } from "../../process/host.ts";
import { workerOf } from "../../process/workers/crew.ts";
import { Roster } from "../../value/roster.ts";
import type { CountDetached } from "../caller.ts";
import type { Run } from "../run.ts";

/**
 * Runs without a caller that waits: runs that were answered early, and handlers of failures. A shutdown waits for them, and aborts the ones
 * that take too long.
 */
export class Background {
  readonly #host: Host;
  readonly #workers: number;
  readonly #runs = new Roster<Run>();
  #detached = 0;
  /** The number of runs, including those that are about to begin. */
  #open = 0;
  #ended: (() => void)[] = [];

  constructor(host: Host) {
    this.#host = host;
    this.#workers = workerOf(host)?.count ?? 1;
  }

  /** The number of runs that go on without their caller. */
  get detached(): number {
    return this.#detached;
  }

  /** The number of runs, including those that are about to begin. */
  get count(): number {
    return this.#open;
  }

  /**
   * Asks for a place for one more run without its caller (spec/surfaces 1); true when the run was counted. When workers do not know each
   * other's counts, each has an equal part of the limit.
   */
  detach(count?: CountDetached): boolean {
    const most = this.#host.limits.maxDetachedRuns;
    const others = count?.(this.#host, () => this.#detached);
    const room = others?.elsewhere === undefined ? Math.ceil(most / this.#workers) : most - others.elsewhere;
    const isFree = this.#detached < room;
    if (isFree) this.#detached += 1;
    others?.asked();
    return isFree;
  }

  /** Frees the place of a detached run that is over, or never began. */
  reattach(): void {
    this.#detached -= 1;
  }

  /** Makes a shutdown wait until the run is over, and then calls `done`. The run must have begun. */
  follow(run: Run, done: () => void): void {
    this.#open += 1;
    const remove = this.#runs.add(run);
    run.whenOver(() => {
      done();
      remove();
      this.#leave();
    });
  }

  /** Makes a shutdown wait until the result is called. */
  hold(): () => void {
    this.#open += 1;
    return () => this.#leave();
  }

  /** Begins work after the answers of this turn have been written. */
  later(begin: () => void): void {
    this.#open += 1;
    setImmediate(() => {
      begin();
      this.#leave();
    });
  }

  /** Resolves when no run is left. */
  ended(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#open === 0) resolve();
      else this.#ended.push(resolve);
    });
  }

  #leave(): void {
    this.#open -= 1;
    if (this.#open > 0) return;
    for (const tell of this.#ended.splice(0)) tell();
  }

  close(): void {
    for (const run of this.#runs) {
      run.cancel("the process ends");
      run.interface.capture?.note(run, 500, "aborted");
      this.#host.log("warn", "run aborted by the end of the process", run.place);
    }
  }
}

/** The runs in the background of a host. */
export const background = (host: Host): Background => host.resource("background", () => new Background(host));
