import { TokenBucket } from "../../network/token-bucket.ts";
import { type Work, WorkQueue } from "../work-queue.ts";
import { limits } from "./limits.ts";

/**
 * The runs for the messages of one client: one after the other, in the order of the messages, with a bound per second (spec/surfaces 4).
 */
export class RunsInOrder {
  readonly #now: () => number;
  readonly #queue = new WorkQueue(limits.waitingRuns);
  readonly #pace: TokenBucket;

  /** `now` is a monotonic clock, in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
    this.#pace = new TokenBucket(limits.runsPerSecond, now());
  }

  /** Adds a run; false when the client is too fast. */
  add(work: Work): boolean {
    return !this.#queue.isFull && this.#pace.take(this.#now()) && this.#queue.add(work);
  }
}
