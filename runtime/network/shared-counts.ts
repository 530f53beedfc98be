import type { Log } from "../process/host.ts";
import { ownNamespaces } from "../state/own-namespaces.ts";
import type { StateKey, StateStore } from "../state/store.ts";
import { Recent } from "../value/recent.ts";
import type { Address } from "./addresses/address.ts";
import { type Bucket, bucketOf, type Counts, type Limit, maxBuckets } from "./limits.ts";

/** Milliseconds between two updates of the shared counts with the requests that were admitted here. */
const refreshMs = 500;

/** Writes to the store that go on at the same time. */
const writers = 16;

/** Attempts of a write, each of which fails when another node has written meanwhile. */
const attempts = 5;

/** Counts of one bucket, in the current window and in the previous one. `shared` is the count in the store at the last update. */
interface Windows {
  readonly name: string;
  readonly window: number;
  /** The number of the current window, by the clock. */
  index: number;
  shared: number;
  previous: number;
  /** Requests that were admitted here and are not yet added to the store. */
  fresh: number;
}

/**
 * Counts that several nodes share by way of the state store, approximately: the requests of the previous window count by the part of it
 * that the sliding window still covers (spec/surfaces 9). While the store does not answer, each node counts alone.
 */
export class SharedCounts implements Counts {
  readonly #store: () => Promise<StateStore>;
  readonly #now: () => number;
  readonly #log: Log;
  readonly #buckets = new Recent<Windows>(maxBuckets);
  readonly #changed = new Set<Windows>();
  #timer: NodeJS.Timeout | undefined;
  #isLost = false;

  /** `now` is Unix time: nodes agree on windows by their clocks. */
  constructor(store: () => Promise<StateStore>, now: () => number, log: Log) {
    this.#store = store;
    this.#now = now;
    this.#log = log;
  }

  bucket(scope: string, source: Address): Bucket {
    const name = bucketOf(scope, source);
    return { wait: (limit) => this.#wait(name, limit), count: (limit) => this.#count(name, limit) };
  }

  #wait(name: string, limit: Limit): number {
    const bucket = this.#current(name, limit);
    const elapsed = this.#now() - bucket.index * limit.window;
    const sum = bucket.shared + bucket.fresh;
    const carried = bucket.previous * (1 - elapsed / limit.window);
    if (sum + carried + 1 <= limit.requests) return 0;
    // The wait lasts until the previous window weighs little enough, or until the current window ends.
    const left = limit.window - elapsed;
    if (sum + 1 > limit.requests) return left;
    return Math.min(left, ((sum + carried + 1 - limit.requests) / bucket.previous) * limit.window);
  }

  #count(name: string, limit: Limit): void {
    const bucket = this.#current(name, limit);
    bucket.fresh += 1;
    this.#changed.add(bucket);
    this.#timer ??= setTimeout(() => void this.refresh(), refreshMs).unref();
  }

  /** Adds the requests that were admitted here to the store, and reads those of other nodes. Never rejects. */
  async refresh(): Promise<void> {
    clearTimeout(this.#timer);
    const changed = [...this.#changed];
    this.#changed.clear();
    try {
      const store = await this.#store();
      for (let i = 0; i < changed.length; i += writers) {
        await Promise.all(changed.slice(i, i + writers).map((bucket) => this.#share(bucket, store)));
      }
      this.#isLost = false;
    } catch (error) {
      if (!this.#isLost) this.#log("warn", `network: rate limits count on this node alone: ${String(error)}`);
      this.#isLost = true;
      for (const bucket of changed) if (bucket.fresh > 0) this.#changed.add(bucket);
    }
    this.#timer = this.#changed.size === 0 ? undefined : setTimeout(() => void this.refresh(), refreshMs).unref();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** The bucket of that name, moved on to the window of now. */
  #current(name: string, { window }: Limit): Windows {
    const index = Math.floor(this.#now() / window);
    const bucket = this.#buckets.get(name) ?? { name, window, index, shared: 0, previous: 0, fresh: 0 };
    if (bucket.index !== index) {
      bucket.previous = bucket.index === index - 1 ? bucket.shared + bucket.fresh : 0;
      bucket.index = index;
      bucket.shared = 0;
      bucket.fresh = 0;
    }
    this.#buckets.set(name, bucket);
    return bucket;
  }

  async #share(bucket: Windows, store: StateStore): Promise<void> {
    const { index, fresh, window } = bucket;
    const place = placeOf(bucket, index);
    const now = await added(store, place, fresh, 2 * window);
    const before = await store.get(placeOf(bucket, index - 1));
    // A new window may have begun during the calls of the store.
    if (bucket.index !== index) return;
    bucket.fresh -= fresh;
    bucket.shared = now;
    bucket.previous = Math.max(bucket.previous, numberIn(before?.value));
  }
}

const placeOf = ({ name }: Windows, index: number): StateKey => ({
  namespace: ownNamespaces.rateLimits,
  key: `${name.replaceAll("\0", "|")}|${index}`,
});

/** Adds to a number in the store and gives the sum. When other nodes are faster in every attempt, the number is only read. */
async function added(store: StateStore, place: StateKey, amount: number, ttl: number): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const entry = await store.get(place);
    const sum = numberIn(entry?.value) + amount;
    if (amount === 0 || (await store.set(place, sum, { ttl, expected: entry?.version ?? 0 })) !== undefined) return sum;
  }
  return numberIn((await store.get(place))?.value) + amount;
}

const numberIn = (value: unknown): number => (typeof value === "number" ? value : 0);
