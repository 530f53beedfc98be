interface Expiry<T> {
  readonly at: number;
  readonly what: T;
}

/**
 * Things that expire, as a heap whose first is the earliest: one more costs the logarithm of their number, whatever the order of their
 * times.
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

  /** Takes out the earliest that has expired by then; undefined when nothing has. */
  take(now: number): Expiry<T> | undefined {
    const [first] = this.#heap;
    if (first === undefined || first.at > now) return undefined;
    const last = this.#heap.pop();
    if (last !== undefined && last !== first) this.#sink(last);
    return first;
  }

  /** Keeps the expiries that the filter takes, and forgets all others. */
  keep(filter: (expiry: Expiry<T>) => boolean): void {
    // A sorted list is a heap.
    this.#heap = this.#heap.filter(filter).sort((a, b) => a.at - b.at);
  }

  /** Puts it where the first has been, and below all that are earlier. */
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
