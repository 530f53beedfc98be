import { createHash, timingSafeEqual } from "node:crypto";
import { Recent } from "../lib/recent.ts";

/** Wrong keys of one address in so many milliseconds, after which nothing of it is looked at. */
const patience = { wrong: 10, ms: 60_000 } as const;

const mostAddresses = 1_000;

/** The API keys of a process. They are compared by their hashes, all of them every time, so that an answer takes as long for a key that is nearly right. */
export class Keys {
  readonly #digests: readonly Buffer[];
  readonly #now: () => number;
  readonly #wrong = new Recent<{ readonly since: number; count: number }>(mostAddresses);

  /** `now` is a clock that never goes back. */
  constructor(keys: readonly string[], now: () => number) {
    this.#digests = keys.map(digest);
    this.#now = now;
  }

  /** Milliseconds for which an address is not heard, since it has tried too many. */
  wait(address: string): number {
    const tried = this.#wrong.get(address);
    if (tried === undefined || tried.count < patience.wrong) return 0;
    return Math.max(0, tried.since + patience.ms - this.#now());
  }

  accepts(key: string, address: string): boolean {
    const given = digest(key);
    const isRight = this.#digests.reduce((found, known) => timingSafeEqual(known, given) || found, false);
    if (!isRight) this.#note(address);
    return isRight;
  }

  #note(address: string): void {
    const now = this.#now();
    const tried = this.#wrong.get(address);
    if (tried === undefined || now - tried.since >= patience.ms) this.#wrong.set(address, { since: now, count: 1 });
    else tried.count += 1;
  }
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
