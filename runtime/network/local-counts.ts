import { Recent } from "../value/recent.ts";
import type { Address } from "./addresses/address.ts";
import { type Bucket, bucketOf, type Counts, type Limit, maxBuckets } from "./limits.ts";

/** The exact counts of this process: the times of the requests that were admitted within the window. */
export class LocalCounts implements Counts {
  readonly #now: () => number;
  #buckets = new Recent<Times>(maxBuckets);

  /** `now` gives milliseconds of a clock that never goes back. */
  constructor(now: () => number) {
    this.#now = now;
  }

  bucket(scope: string, source: Address): Bucket {
    const name = bucketOf(scope, source);
    const bucket = this.#buckets.get(name);
    if (bucket !== undefined) return bucket;
    const times = new Times(this.#now);
    this.#buckets.set(name, times);
    return times;
  }

  close(): void {
    this.#buckets = new Recent(maxBuckets);
  }
}

/** Times in order, of which the oldest are forgotten. */
class Times implements Bucket {
  readonly #now: () => number;
  #all: number[] = [];
  #first = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  wait({ requests, window }: Limit): number {
    if (this.#size === 0) return 0;
    const now = this.#now();
    this.#forget(now - window);
    return this.#size < requests ? 0 : this.#oldest + window - now;
  }

  count(): void {
    this.#all.push(this.#now());
  }

  get #size(): number {
    return this.#all.length - this.#first;
  }

  get #oldest(): number {
    return this.#all[this.#first] ?? 0;
  }

  /** Forgets what is not later than this. */
  #forget(until: number): void {
    while (this.#size > 0 && this.#oldest <= until) this.#first += 1;
    // The list is cut when most of its entries are forgotten.
    if (this.#first > 32 && this.#first * 2 > this.#all.length) {
      this.#all = this.#all.slice(this.#first);
      this.#first = 0;
    }
  }
}
