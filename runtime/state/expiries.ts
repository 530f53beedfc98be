interface Expiry<T> {
  readonly at: number;
  readonly what: T;
}

/**
 * Entries with a time of expiry, as a heap whose first entry is the earliest: adding one costs the logarithm of their number, in whatever
 * order the times come.
 */
export class Expiries<T> {
  #heap: Expiry<T>[] = [];

  get size(): number {
    return this.#heap.length;
  }

  add(at: number, item: T): void {
    const heap = this.#heap;
    const added = { at, what: item };
    let place = heap.length;
    heap.push(added);
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || parent.at <= at) break;
      heap[place] = parent;
      place = above;
    }
    heap[place] = added;
  }

  /** Removes the earliest entry that has expired by then, and gives it; undefined when none has. */
  take(now: number): Expiry<T> | undefined {
    const [first] = this.#heap;
    if (first === undefined || first.at > now) return undefined;
    const last = this.#heap.pop();
    if (last !== undefined && last !== first) this.#sink(last);
    return first;
  }

  /** Keeps the expiries for which the filter gives true, and forgets all others. */
  keep(filter: (expiry: Expiry<T>) => boolean): void {
    // A sorted list is a heap.
    this.#heap = this.#heap.filter(filter).sort((a, b) => a.at - b.at);
  }

  /** Puts an entry at the top of the heap, and moves it below all earlier ones. */
  #sink(sunk: Expiry<T>): void {
    const heap = this.#heap;
    let place = 0;
    for (;;) {
      const left = 2 * place + 1;
      const [a, b] = [heap[left], heap[left + 1]];
      if (a === undefined) break;
      const isLeft = b === undefined || a.at <= b.at;
      const child = isLeft ? a : b;
      if (child.at >= sunk.at) break;
      heap[place] = child;
      place = isLeft ? left : left + 1;
    }
    heap[place] = sunk;
  }
}
