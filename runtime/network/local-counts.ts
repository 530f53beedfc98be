import type { Address } from "../lib/address.ts";
import { Recent } from "../lib/recent.ts";
import { bucketOf, type Counts, type Limit, maxBuckets } from "./limits.ts";

/** The exact count of this process: the times of what was admitted within the window. */
export class LocalCounts implements Counts {
  readonly #now: () => number;
  #buckets = new Recent<Times>(maxBuckets);

  /** `now` gives milliseconds of a clock that never goes back. */
  constructor(now: () => number) {
    this.#now = now;
  }

  wait(scope: string, source: Address, { requests, window }: Limit): number {
    const times = this.#buckets.get(bucketOf(scope, source));
    if (times === undefined) return 0;
    const now = this.#now();
    times.forget(now - window);
    return times.size < requests ? 0 : times.oldest + window - now;
  }

  count(scope: string, source: Address): void {
    const bucket = bucketOf(scope, source);
    const times = this.#buckets.get(bucket) ?? new Times();
    times.add(this.#now());
    this.#buckets.set(bucket, times);
  }

  close(): void {
    this.#buckets = new Recent(maxBuckets);
  }
}

/** Times in order, of which the oldest are forgotten. */
class Times {
  #all: number[] = [];
  #first = 0;

  get size(): number {
    return this.#all.length - this.#first;
  }

  get oldest(): number {
    return this.#all[this.#first] ?? 0;
  }

  add(time: number): void {
    this.#all.push(time);
  }

  /** Forgets what is not later than this. */
  forget(until: number): void {
    while (this.size > 0 && this.oldest <= until) this.#first += 1;
    // What is forgotten is given back when it is most of the list.
    if (this.#first > 32 && this.#first * 2 > this.#all.length) {
      this.#all = this.#all.slice(this.#first);
      this.#first = 0;
    }
  }
}
