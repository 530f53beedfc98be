import type { Host } from "../process/host.ts";
import { longestWait } from "../value/duration.ts";
import { Roster } from "../value/roster.ts";

/** A run that has a limited time. */
interface Limited {
  /** The time at which the run expires, by the monotonic clock of the host. */
  readonly at: number;
  readonly expire: () => void;
}

/**
 * The deadlines of the runs of a process. One timer serves all of them, because a timer for each run costs more than the rest of its
 * waiting.
 */
class Deadlines {
  readonly #host: Host;
  /** Runs in the order of their times, since all have the same limit. */
  readonly #waiting = new Roster<Limited>();
  #timer: NodeJS.Timeout | undefined;

  constructor(host: Host) {
    this.#host = host;
  }

  /** Calls `expire` when the time of a run that begins now is over; the result cancels that. */
  add(expire: () => void): () => void {
    const { limits, monotonic } = this.#host;
    const limited = { at: monotonic() + Math.min(limits.runTimeoutMs, longestWait), expire };
    if (this.#timer === undefined) this.#watch(limited);
    return this.#waiting.add(limited);
  }

  #watch({ at }: Limited): void {
    this.#timer = setTimeout(() => this.#expire(), at - this.#host.monotonic());
    // The timer may outlast the run for which it was set.
    this.#timer.unref();
  }

  #expire(): void {
    this.#timer = undefined;
    for (let first = this.#waiting.first; first !== undefined; first = this.#waiting.first) {
      if (first.at > this.#host.monotonic()) {
        this.#watch(first);
        return;
      }
      this.#waiting.shift();
      first.expire();
    }
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}

/** The deadlines of a host. */
export const deadlines = (host: Host): Deadlines => host.resource("deadlines", () => new Deadlines(host));
