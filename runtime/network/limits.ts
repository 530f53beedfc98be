import type { Resource } from "../process/host.ts";
import type { Address } from "./addresses/address.ts";

/** Most requests in a sliding window of `window` milliseconds. */
export interface Limit {
  readonly requests: number;
  readonly window: number;
}

/** The counts of admitted requests. */
export interface Counts extends Resource {
  /** The bucket of one source in one scope (a level of a policy). */
  readonly bucket: (scope: string, source: Address) => Bucket;
}

export interface Bucket {
  /** Milliseconds until one more request may be admitted; 0 when it may be admitted now. */
  readonly wait: (limit: Limit) => number;
  readonly count: (limit: Limit) => void;
}

/** The name of a bucket. IPv6 sources count by their /64, which is what one customer has (spec/surfaces 9). */
export function bucketOf(scope: string, source: Address): string {
  return typeof source === "number" ? `${scope}\0${source}` : `${scope}\0v6 ${(source >> 64n).toString(36)}`;
}

/** Buckets that are kept, up to twice as many in a burst of new sources. */
export const maxBuckets = 50_000;
