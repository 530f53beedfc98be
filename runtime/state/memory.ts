import type { Row, Rows } from "./local.ts";
import type { Place } from "./store.ts";

/** Identities of a set, oldest first: those that stay until the cap, and those that expire, with their times. */
interface Identities {
  readonly lasting: Set<string>;
  readonly expiring: Map<string, number>;
}

/** Rows in memory: lost when the process ends. */
export class MemoryRows implements Rows {
  readonly #rows = new Map<string, Row>();
  readonly #sets = new Map<string, Identities>();

  atomic<T>(work: () => T): T {
    return work();
  }

  read(place: Place): Row | undefined {
    return this.#rows.get(nameOf(place));
  }

  write(place: Place, row: Row): void {
    this.#rows.set(nameOf(place), row);
  }

  remove(place: Place): void {
    this.#rows.delete(nameOf(place));
  }

  remembered(set: Place, id: string): number | null | undefined {
    const ids = this.#sets.get(nameOf(set));
    return ids?.lasting.has(id) ? null : ids?.expiring.get(id);
  }

  remember(set: Place, id: string, expires: number | null): void {
    const ids = this.#identities(set);
    // What comes again after it expired is the newest.
    ids.expiring.delete(id);
    if (expires === null) ids.lasting.add(id);
    else ids.expiring.set(id, expires);
  }

  expiring(set: Place, now: number): number {
    const times = this.#sets.get(nameOf(set))?.expiring.values() ?? [];
    let count = 0;
    for (const expires of times) if (expires > now) count += 1;
    return count;
  }

  evict(set: Place, cap: number): void {
    const { lasting } = this.#identities(set);
    for (const id of lasting) {
      if (lasting.size <= cap) return;
      lasting.delete(id);
    }
  }

  sweep(now: number): void {
    for (const [name, { expires }] of this.#rows) if (expires !== null && expires <= now) this.#rows.delete(name);
    for (const [name, { lasting, expiring }] of this.#sets) {
      for (const [id, expires] of expiring) if (expires <= now) expiring.delete(id);
      if (lasting.size + expiring.size === 0) this.#sets.delete(name);
    }
  }

  close(): void {
    this.#rows.clear();
    this.#sets.clear();
  }

  #identities(set: Place): Identities {
    const name = nameOf(set);
    const found = this.#sets.get(name) ?? { lasting: new Set(), expiring: new Map() };
    this.#sets.set(name, found);
    return found;
  }
}

/** Neither part of a place holds a NUL character. */
const nameOf = ({ namespace, key }: Place): string => `${namespace}\0${key}`;
