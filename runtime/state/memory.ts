import { copied } from "../formats/copied.ts";
import { atOnce, type Work } from "../threads/slices.ts";
import { Expiries } from "./expiries.ts";
import type { Row, Rows } from "./local.ts";
import { type Remembering, StateFull, type StateKey } from "./store.ts";

/** A value in memory. */
interface MemoryRow {
  readonly json: string | Buffer;
  readonly version: number;
  readonly expires: number | null;
  /** The bytes of its name and its text. */
  readonly bytes: number;
}

/** Identities of a set, oldest first: those that stay until the cap is reached, and those that expire, with their times. */
interface Identities {
  readonly lasting: Set<string>;
  readonly expiring: Map<string, number>;
  /** The marks of identities that have one. */
  readonly marks: Map<string, string>;
}

/** A row, or with `id` an identity of a set. */
interface Named {
  readonly name: string;
  readonly id?: string;
}

/** Texts of at least this many bytes are stored as UTF-8 outside the heap, where each takes exactly the counted bytes. */
const longText = 1_024;

/** An entry needs memory beside its texts, so that a store holds at most one entry for this many bytes of its bound. */
const bytesOfEntry = 256;

/** The number of entries that a store may hold in any case, however small its bound is. */
const leastEntries = 10_000;

/**
 * Rows in memory, which are lost when the process ends. The bytes of their names and texts are bounded; a write beyond the bound changes
 * nothing.
 */
export class MemoryRows implements Rows {
  /** All identities are remembered in one step, because there is no transaction. */
  readonly idsOfStep = Number.POSITIVE_INFINITY;
  readonly #rows = new Map<string, MemoryRow>();
  readonly #sets = new Map<string, Identities>();
  readonly #expiries = new Expiries<Named>();
  readonly #mostBytes: number;
  readonly #mostEntries: number;
  #bytes = 0;
  #entries = 0;

  /** `mostBytes` bounds the bytes of names and JSON texts. */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
    this.#mostEntries = Math.max(leastEntries, Math.floor(mostBytes / bytesOfEntry));
  }

  atomic<T>(work: () => T): T {
    return work();
  }

  reading<T>(work: () => T): T {
    return work();
  }

  atomicSteps<T>(work: Work<T>): T {
    return atOnce(work);
  }

  read(place: StateKey): Row | undefined {
    const row = this.#rows.get(nameOf(place));
    return row === undefined ? undefined : { ...row, json: typeof row.json === "string" ? row.json : row.json.toString() };
  }

  write(place: StateKey, { json, version, expires }: Row, now: number): void {
    const name = copied(nameOf(place));
    const bytes = Buffer.byteLength(name) - 1 + Buffer.byteLength(json);
    const old = this.#rows.get(name);
    this.#makeRoom(bytes - (old?.bytes ?? 0), old === undefined ? 1 : 0, now);
    this.#removeRow(name);
    this.#rows.set(name, { json: bytes < longText ? json : Buffer.from(json), version, expires, bytes });
    this.#count(bytes, 1);
    if (expires !== null) this.#expire({ name }, expires);
  }

  remove(place: StateKey): void {
    this.#removeRow(nameOf(place));
  }

  known(set: StateKey, ids: readonly string[], now: number, mark?: string): ReadonlySet<string> {
    const held = this.#sets.get(nameOf(set));
    if (held === undefined) return new Set();
    const isOwn = (id: string): boolean => mark !== undefined && held.marks.get(id) === mark;
    return new Set(ids.filter((id) => (held.lasting.has(id) || (held.expiring.get(id) ?? 0) > now) && !isOwn(id)));
  }

  remember(set: StateKey, ids: readonly string[], { expires, cap, now, mark }: Remembering): void {
    if (ids.length === 0) return;
    const name = copied(nameOf(set));
    const entries = this.#sets.get(name);
    const leaving = expires === null ? oldest(entries?.lasting, ids.length, cap) : [];
    const change = bytesOf(ids) - bytesOf(leaving) + (entries === undefined ? Buffer.byteLength(name) - 1 : 0);
    this.#makeRoom(change, ids.length - leaving.length, now);
    // An id that comes again after it expired is the newest.
    for (const id of [...leaving, ...ids]) this.#removeId(name, id);
    const { lasting, expiring, marks } = this.#identities(name);
    for (const id of ids) {
      const own = copied(id);
      if (mark !== undefined) marks.set(own, mark);
      if (expires === null) lasting.add(own);
      else {
        expiring.set(own, expires);
        this.#expire({ name, id: own }, expires);
      }
      this.#count(Buffer.byteLength(id), 1);
    }
  }

  expiring(set: StateKey, now: number): number {
    const times = this.#sets.get(nameOf(set))?.expiring.values() ?? [];
    let count = 0;
    for (const expires of times) if (expires > now) count += 1;
    return count;
  }

  sweep(now: number): void {
    for (let i = 0; i < sweptAtOnce && this.#forgetNext(now); i++);
  }

  close(): void {
    this.#rows.clear();
    this.#sets.clear();
    this.#expiries.keep(() => false);
    this.#bytes = 0;
    this.#entries = 0;
  }

  /**
   * Makes room, or fails when there is not enough even after removing expired rows. A write that needs no more room than before is always
   * allowed.
   */
  #makeRoom(bytes: number, entries: number, now: number): void {
    const isOver = (): boolean =>
      (bytes > 0 && this.#bytes + bytes > this.#mostBytes) || (entries > 0 && this.#entries + entries > this.#mostEntries);
    while (isOver()) if (!this.#forgetNext(now)) throw new StateFull();
  }

  /** Removes the next entry if it has expired; false when none has. */
  #forgetNext(now: number): boolean {
    const expired = this.#expiries.take(now);
    if (expired === undefined) return false;
    // An entry that was written again has another time of expiry, or none.
    if (this.#isCurrent(expired)) {
      const { name, id } = expired.what;
      if (id === undefined) this.#removeRow(name);
      else this.#removeId(name, id);
    }
    return true;
  }

  #isCurrent({ at, what: { name, id } }: { readonly at: number; readonly what: Named }): boolean {
    return (id === undefined ? this.#rows.get(name)?.expires : this.#sets.get(name)?.expiring.get(id)) === at;
  }

  /** Notes a time of expiry. The old times of rewritten entries stay in the heap, which is cleaned when they are more than the entries. */
  #expire(item: Named, at: number): void {
    this.#expiries.add(at, item);
    if (this.#expiries.size > 2 * this.#entries + leastEntries) this.#expiries.keep((expiry) => this.#isCurrent(expiry));
  }

  #removeRow(name: string): void {
    const row = this.#rows.get(name);
    if (row === undefined) return;
    this.#rows.delete(name);
    this.#count(-row.bytes, -1);
  }

  #removeId(name: string, id: string): void {
    const set = this.#sets.get(name);
    if (set === undefined || !(set.lasting.delete(id) || set.expiring.delete(id))) return;
    set.marks.delete(id);
    this.#count(-Buffer.byteLength(id), -1);
    if (set.lasting.size + set.expiring.size > 0) return;
    this.#sets.delete(name);
    this.#count(1 - Buffer.byteLength(name), 0);
  }

  #identities(name: string): Identities {
    const set = this.#sets.get(name);
    if (set !== undefined) return set;
    const empty = { lasting: new Set<string>(), expiring: new Map<string, number>(), marks: new Map<string, string>() };
    this.#sets.set(name, empty);
    this.#count(Buffer.byteLength(name) - 1, 0);
    return empty;
  }

  #count(bytes: number, entries: number): void {
    this.#bytes += bytes;
    this.#entries += entries;
  }
}

/** The number of expired rows that one sweep removes, which takes a few milliseconds. */
const sweptAtOnce = 10_000;

/** The ids that have to leave when `added` ones enter a set of at most `cap`. */
function oldest(ids: ReadonlySet<string> | undefined, added: number, cap: number): readonly string[] {
  const leaving = (ids?.size ?? 0) + added - cap;
  return ids === undefined || leaving <= 0 ? [] : [...ids].slice(0, leaving);
}

const bytesOf = (ids: readonly string[]): number => ids.reduce((sum, id) => sum + Buffer.byteLength(id), 0);

/** Neither part of a place holds a NUL character. */
const nameOf = ({ namespace, key }: StateKey): string => `${namespace}\0${key}`;
