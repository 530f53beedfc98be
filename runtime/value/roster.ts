/**
 * Members that come and go as long as the process lives, in the order in which they came. A Set would slow down the garbage collector: it
 * moves its members to a new table again and again, and V8 links each old table to the next one. Once such a table is old, all later ones
 * survive the collections of young objects, together with their members.
 */
export class Roster<T> implements Iterable<T> {
  #first: Place<T> | undefined;
  #last: Place<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The member that came before all others. */
  get first(): T | undefined {
    return this.#first?.member;
  }

  /** Adds a member. The returned function removes it; further calls of that function do nothing. */
  add(member: T): () => void {
    const place: Place<T> = { member, before: this.#last, after: undefined, isTaken: true };
    if (this.#last === undefined) this.#first = place;
    else this.#last.after = place;
    this.#last = place;
    this.#size += 1;
    return () => this.#leave(place);
  }

  /** Removes the first member and returns it. */
  shift(): T | undefined {
    const place = this.#first;
    if (place !== undefined) this.#leave(place);
    return place?.member;
  }

  /** Gives the members of this moment: others may come and go meanwhile. */
  [Symbol.iterator](): Iterator<T> {
    const members: T[] = [];
    for (let place = this.#first; place !== undefined; place = place.after) members.push(place.member);
    return members.values();
  }

  #leave(place: Place<T>): void {
    if (!place.isTaken) return;
    const { before, after } = place;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    this.#size -= 1;
    place.isTaken = false;
    // An old place that still pointed to younger ones would keep them in memory, as the tables of a Set do.
    place.before = undefined;
    place.after = undefined;
  }
}

interface Place<T> {
  readonly member: T;
  before: Place<T> | undefined;
  after: Place<T> | undefined;
  isTaken: boolean;
}
