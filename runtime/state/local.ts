import type { Json } from "../value/json.ts";
import { Fullness } from "./fullness.ts";
import { exceeds } from "./order.ts";
import { type Remember, type Remembering, type StateKey, type StateStore, type Stored, seenMost, serialised, type Write } from "./store.ts";

/** A value as a row: JSON text, and the Unix milliseconds from which it does not exist any more. */
export interface Row {
  readonly json: string;
  readonly version: number;
  readonly expires: number | null;
}

/** The rows of a store inside the process. Every call is synchronous, so what happens in `atomic` is one step. */
export interface Rows {
  readonly atomic: <T>(work: () => T) => T;
  readonly read: (place: StateKey) => Row | undefined;
  /** Fails, and changes nothing, when there is no room for it. */
  readonly write: (place: StateKey, row: Row, now: number) => void;
  readonly remove: (place: StateKey) => void;
  /** When the identity expires, null for never; undefined when it is not in the set. */
  readonly remembered: (set: StateKey, id: string) => number | null | undefined;
  /** Adds identities that the set does not hold; those that have expired come again. Fails as `write` does. */
  readonly remember: (set: StateKey, ids: readonly string[], remembering: Remembering) => void;
  /** How many identities of the set will expire. */
  readonly expiring: (set: StateKey, now: number) => number;
  /** Removes what has expired. */
  readonly sweep: (now: number) => void;
  readonly close: () => void;
}

/** One of so many writes that expire also sweeps. */
export const sweepEvery = 256;

/** The store of one node: the operations of spec/surfaces 12 on rows that the process reaches without waiting. */
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
    const row = this.#live(place, this.#now());
    return row === undefined ? undefined : { value: JSON.parse(row.json), version: row.version };
  }

  async set(place: StateKey, value: Json, { ttl, expected }: Write): Promise<number | undefined> {
    const json = serialised(value);
    return this.#write(ttl, (now, expires) => {
      const version = this.#live(place, now)?.version ?? 0;
      if (expected !== undefined && expected !== version) return undefined;
      this.#rows.write(place, { json, version: version + 1, expires }, now);
      return version + 1;
    });
  }

  async advance(place: StateKey, value: Json, ttl: number | undefined): Promise<Stored> {
    const json = serialised(value);
    return this.#write(ttl, (now, expires) => {
      const row = this.#live(place, now);
      const current: Json = row === undefined ? null : JSON.parse(row.json);
      if (row !== undefined && !exceeds(value, current)) return { value: current, version: row.version };
      const version = (row?.version ?? 0) + 1;
      this.#rows.write(place, { json, version, expires }, now);
      return { value: JSON.parse(json), version };
    });
  }

  async delete(place: StateKey): Promise<boolean> {
    return this.#rows.atomic(() => {
      const isThere = this.#live(place, this.#now()) !== undefined;
      this.#rows.remove(place);
      return isThere;
    });
  }

  async seen(set: StateKey, ids: readonly string[], { ttl, cap, most = seenMost }: Remember): Promise<boolean[]> {
    return this.#write(ttl, (now, expires) => {
      if (expires !== null && this.#fullness.isDoubtful(set, ids.length, most))
        this.#fullness.counted(set, this.#rows.expiring(set, now), ids.length, most);
      const fresh = new Set<string>();
      const wasNew = ids.map((id) => !fresh.has(id) && this.#isNew(set, id, now) && fresh.add(id).has(id));
      this.#rows.remember(set, [...fresh], { expires, cap, now });
      if (expires !== null) this.#fullness.added(set, fresh.size);
      return wasNew;
    });
  }

  close(): void {
    this.#rows.close();
  }

  #isNew(set: StateKey, id: string, now: number): boolean {
    const expiry = this.#rows.remembered(set, id);
    return expiry === undefined || (expiry !== null && expiry <= now);
  }

  #write<T>(ttl: number | undefined, work: (now: number, expires: number | null) => T): T {
    return this.#rows.atomic(() => {
      const now = this.#now();
      if (ttl !== undefined && this.#expiring++ % sweepEvery === 0) this.#rows.sweep(now);
      return work(now, ttl === undefined ? null : now + ttl);
    });
  }

  #live(place: StateKey, now: number): Row | undefined {
    const row = this.#rows.read(place);
    return row === undefined || (row.expires !== null && row.expires <= now) ? undefined : row;
  }

  /** The clock of the process, which may be set back; that of the store is not (what has expired stays so). */
  #now(): number {
    this.#latest = Math.max(this.#latest, this.#clock());
    return this.#latest;
  }
}
