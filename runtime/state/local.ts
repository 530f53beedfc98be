import { atOnce, type Work } from "../threads/slices.ts";
import type { Json } from "../value/json.ts";
import { Fullness } from "./fullness.ts";
import { exceeds } from "./order.ts";
import { type Remember, type Remembering, type StateKey, type StateStore, type Stored, seenMost, serialised, type Write } from "./store.ts";

/** A value as a row: JSON text, and the Unix milliseconds from which it has expired. */
export interface Row {
  readonly json: string;
  readonly version: number;
  readonly expires: number | null;
}

/**
 * The rows of a store in this process. Every call is synchronous, so that all work in `atomic` is one step; its result comes when it is as
 * durable as the rows are.
 */
export interface Rows {
  readonly atomic: <T>(work: () => T, signal?: AbortSignal) => T | Promise<T>;
  /** Does work that only reads, as one step. */
  readonly reading: <T>(work: () => T) => T | Promise<T>;
  /** Does work of several steps. Where they are steps of a database, other work of the process has its turns between them. */
  readonly atomicSteps: <T>(work: Work<T>, signal?: AbortSignal) => T | Promise<T>;
  /** The most identities that are looked for, or remembered, in one step. */
  readonly idsOfStep: number;
  readonly read: (place: StateKey) => Row | undefined;
  /** Writes a row. Without room for it, it fails and changes nothing. */
  readonly write: (place: StateKey, row: Row, now: number) => void;
  readonly remove: (place: StateKey) => void;
  /** The identities among `ids` that the set knows: they have not expired, and do not have this mark. */
  readonly known: (set: StateKey, ids: readonly string[], now: number, mark?: string) => ReadonlySet<string>;
  /** Adds identities that are not known; expired ones and those with this mark are added again. Fails as `write` does. */
  readonly remember: (set: StateKey, ids: readonly string[], remembering: Remembering) => void;
  /** The number of identities in the set that have not expired and will expire. */
  readonly expiring: (set: StateKey, now: number) => number;
  /** Removes some expired rows. */
  readonly sweep: (now: number) => void;
  readonly close: () => void;
}

/** One in this many writes with a `ttl` also sweeps. */
export const sweepEvery = 256;

/** The store of one node: the operations of spec/surfaces 12, on rows that the process reads synchronously. */
export class LocalStore implements StateStore {
  readonly #rows: Rows;
  readonly #clock: () => number;
  #latest = Number.NEGATIVE_INFINITY;
  #expiring = 0;
  readonly #fullness = new Fullness();

  constructor(rows: Rows, clock: () => number) {
    this.#rows = rows;
    this.#clock = clock;
  }

  async get(place: StateKey): Promise<Stored | undefined> {
    const row = await this.#rows.reading(() => this.#live(place, this.#now()));
    return row === undefined ? undefined : { value: JSON.parse(row.json), version: row.version };
  }

  async set(place: StateKey, value: Json, { ttl, expected, signal }: Write): Promise<number | undefined> {
    const json = serialised(value);
    return this.#write({ ttl, signal }, (now, expires) => {
      const version = this.#live(place, now)?.version ?? 0;
      if (expected !== undefined && expected !== version) return undefined;
      this.#rows.write(place, { json, version: version + 1, expires }, now);
      return version + 1;
    });
  }

  async advance(place: StateKey, value: Json, ttl: number | undefined, signal?: AbortSignal): Promise<Stored> {
    const json = serialised(value);
    return this.#write({ ttl, signal }, (now, expires) => {
      const row = this.#live(place, now);
      const current: Json = row === undefined ? null : JSON.parse(row.json);
      if (row !== undefined && !exceeds(value, current)) return { value: current, version: row.version };
      const version = (row?.version ?? 0) + 1;
      this.#rows.write(place, { json, version, expires }, now);
      return { value: JSON.parse(json), version };
    });
  }

  async delete(place: StateKey, signal?: AbortSignal): Promise<boolean> {
    return this.#rows.atomic(() => {
      const isThere = this.#live(place, this.#now()) !== undefined;
      this.#rows.remove(place);
      return isThere;
    }, signal);
  }

  async seen(set: StateKey, ids: readonly string[], remember: Remember): Promise<boolean[]> {
    const work = this.#seen(set, ids, remember);
    const { signal } = remember;
    return ids.length <= this.#rows.idsOfStep ? this.#rows.atomic(() => atOnce(work), signal) : this.#rows.atomicSteps(work, signal);
  }

  *#seen(set: StateKey, ids: readonly string[], { ttl, cap, most = seenMost, mark }: Remember): Work<boolean[]> {
    const now = this.#now();
    const expires = this.#expiry(ttl, now);
    if (expires !== null && this.#fullness.isDoubtful(set, ids.length, most))
      this.#fullness.counted(set, this.#rows.expiring(set, now), ids.length, most);
    const present = new Set<string>();
    yield* inSteps(ids, this.#rows.idsOfStep, (batch) => {
      for (const id of this.#rows.known(set, batch, now, mark)) present.add(id);
    });
    const fresh = new Set<string>();
    const wasNew = ids.map((id) => !present.has(id) && !fresh.has(id) && fresh.add(id).has(id));
    // When the set may not hold all of them, the last ones are kept.
    const lasting = expires === null ? [...fresh].slice(-cap) : [...fresh];
    yield* inSteps(lasting, this.#rows.idsOfStep, (batch) => {
      this.#rows.remember(set, batch, { expires, cap, now, mark });
      if (batch.length === this.#rows.idsOfStep) this.#rows.sweep(now);
    });
    if (expires !== null) this.#fullness.added(set, fresh.size);
    return wasNew;
  }

  close(): void {
    this.#rows.close();
  }

  async #write<T>({ ttl, signal }: Pick<Write, "ttl" | "signal">, work: (now: number, expires: number | null) => T): Promise<T> {
    return this.#rows.atomic(() => {
      const now = this.#now();
      return work(now, this.#expiry(ttl, now));
    }, signal);
  }

  /** The time at which a value that is written now expires; null for never. */
  #expiry(ttl: number | undefined, now: number): number | null {
    if (ttl === undefined) return null;
    if (this.#expiring++ % sweepEvery === 0) this.#rows.sweep(now);
    return now + ttl;
  }

  #live(place: StateKey, now: number): Row | undefined {
    const row = this.#rows.read(place);
    return row === undefined || (row.expires !== null && row.expires <= now) ? undefined : row;
  }

  /**
   * The time of the store. The clock of the process may be set back, but this time never goes back, so that expired values stay expired.
   */
  #now(): number {
    this.#latest = Math.max(this.#latest, this.#clock());
    return this.#latest;
  }
}

/** Does work on parts of a list, one step for each; a list that fits one step needs no pause. */
function* inSteps(ids: readonly string[], most: number, work: (batch: readonly string[]) => void): Work<void> {
  for (let from = 0; from < ids.length; from += most) {
    if (from > 0) yield;
    work(ids.slice(from, from + most));
  }
}
