import { Recent } from "../value/recent.ts";
import { ApiKeys } from "./api-keys.ts";

/** An address may try `wrong` wrong keys within `ms` milliseconds. Until these are over, further keys of it are ignored. */
const patience = { wrong: 10, ms: 60_000 } as const;

const mostAddresses = 1_000;

/** The API keys of a process, and who has tried wrong ones. */
export class TriedKeys {
  readonly #keys: ApiKeys;
  readonly #now: () => number;
  readonly #wrong = new Recent<{ readonly since: number; count: number }>(mostAddresses);

  /** `now` is a clock that never goes back. */
  constructor(keys: readonly string[], now: () => number) {
    this.#keys = new ApiKeys(keys);
    this.#now = now;
  }

  /** Milliseconds for which the keys of an address are ignored, because it has tried too many wrong ones. */
  wait(address: string): number {
    const failures = this.#wrong.get(address);
    if (failures === undefined || failures.count < patience.wrong) return 0;
    return Math.max(0, failures.since + patience.ms - this.#now());
  }

  accepts(key: string, address: string): boolean {
    const isRight = this.#keys.accepts(key);
    if (!isRight) this.#note(address);
    return isRight;
  }

  #note(address: string): void {
    const now = this.#now();
    const failures = this.#wrong.get(address);
    if (failures === undefined || now - failures.since >= patience.ms) this.#wrong.set(address, { since: now, count: 1 });
    else failures.count += 1;
  }
}
