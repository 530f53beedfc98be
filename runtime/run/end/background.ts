import type { Host } from "../../process/host.ts";
import { workerOf } from "../../process/workers/crew.ts";
import { Roster } from "../../value/roster.ts";
import type { CountDetached } from "../caller.ts";
import type { Run } from "../run.ts";

/**
 * Runs that nobody waits for: those that were answered early, and handlers of failures. A shutdown waits for them, and cuts short what is
 * left.
 */
export class Background {
  readonly #host: Host;
  readonly #workers: number;
  readonly #runs = new Roster<Run>();
  #detached = 0;
  /** Runs, and those that are about to begin. */
  #open = 0;
  #ended: (() => void)[] = [];

  constructor(host: Host) {
    this.#host = host;
    this.#workers = workerOf(host)?.count ?? 1;
  }

  /** How many runs go on without their caller. */
  get detached(): number {
    return this.#detached;
  }

  /** Runs, and those that are about to begin. */
  get count(): number {
    return this.#open;
  }

  /**
   * True when one more run may go on without its caller (spec/surfaces 1); it is counted from now on. Workers that know nothing of each
   * other have a part of the limit each.
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

  /** A detached run is over, or never began. */
  reattach(): void {
    this.#detached -= 1;
  }

  /** Keeps a shutdown waiting until the run is over; then calls back. The run must have begun. */
  follow(run: Run, done: () => void): void {
    this.#open += 1;
    const remove = this.#runs.add(run);
    run.whenOver(() => {
      done();
      remove();
      this.#leave();
    });
  }

  /** Keeps a shutdown waiting until the result is called. */
  hold(): () => void {
    this.#open += 1;
    return () => this.#leave();
  }

  /** Begins something once what is to be answered now has been written. */
  later(begin: () => void): void {
    this.#open += 1;
    setImmediate(() => {
      begin();
      this.#leave();
    });
  }

  /** Resolves when none is left. */
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
