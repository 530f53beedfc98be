import { branchesOf, mostBranches } from "./branches.ts";
import { isWildcard, type Levels, oneBeside, restBeside } from "./names.ts";

/** The subscribers of all patterns that begin with the same levels. Most branches have one part only, so that an empty part is absent. */
interface Branch<T> {
  below: Map<string, Branch<T>> | undefined;
  /** The subscribers of the pattern that ends here. */
  ends: Set<T> | undefined;
}

const branch = <T>(): Branch<T> => ({ below: undefined, ends: undefined });

/**
 * The subscribers of each channel and pattern. The time to find the listeners of a channel depends on the levels of its name and on the
 * matching patterns, not on the number of subscriptions.
 */
export class Subscriptions<T> {
  readonly #channels = new Map<string, Set<T>>();
  readonly #patterns: Branch<T> = branch();
  #patternCount = 0;
  #branches = 0;

  /** The number of names that have a subscriber. */
  get size(): number {
    return this.#channels.size + this.#patternCount;
  }

  has(name: string, levels: Levels): boolean {
    return isWildcard(name) ? this.#endOf(levels)?.ends !== undefined : this.#channels.has(name);
  }

  /** True when the tree of patterns may grow by this one. */
  hasRoom(text: string, levels: Levels): boolean {
    return !isWildcard(text) || this.#branches + branchesOf({ text, levels }) <= mostBranches.all;
  }

  add(name: string, levels: Levels, listener: T): void {
    if (!isWildcard(name)) {
      const listeners = this.#channels.get(name) ?? new Set<T>();
      this.#channels.set(name, listeners.add(listener));
      return;
    }
    let at = this.#patterns;
    for (const level of levels) {
      at.below ??= new Map();
      const next = at.below.get(level) ?? branch<T>();
      at.below.set(level, next);
      at = next;
    }
    if (at.ends === undefined) this.#count(1, name, levels);
    at.ends = (at.ends ?? new Set()).add(listener);
  }

  remove(name: string, levels: Levels, listener: T): void {
    if (isWildcard(name)) {
      if (this.#removeBelow(this.#patterns, levels, 0, listener)) this.#count(-1, name, levels);
      return;
    }
    const listeners = this.#channels.get(name);
    listeners?.delete(listener);
    if (listeners?.size === 0) this.#channels.delete(name);
  }

  /** All listeners of a channel, once each. */
  listeners(name: string, levels: Levels): ReadonlySet<T> {
    const exact = this.#channels.get(name);
    if (this.#patternCount === 0) return exact ?? new Set();
    const all = new Set(exact);
    collect(this.#patterns, levels, 0, all);
    return all;
  }

  #endOf(levels: Levels): Branch<T> | undefined {
    let at: Branch<T> | undefined = this.#patterns;
    for (const level of levels) at = at?.below?.get(level);
    return at;
  }

  #count(sign: 1 | -1, text: string, levels: Levels): void {
    this.#patternCount += sign;
    this.#branches += sign * branchesOf({ text, levels });
  }

  /** Removes the listener, and branches that are empty then; true when it was the last one of the pattern. */
  #removeBelow(at: Branch<T>, levels: Levels, i: number, listener: T): boolean {
    const level = levels[i];
    if (level === undefined) {
      const isLast = at.ends?.delete(listener) === true && at.ends.size === 0;
      if (isLast) at.ends = undefined;
      return isLast;
    }
    const next = at.below?.get(level);
    if (next === undefined) return false;
    const isLast = this.#removeBelow(next, levels, i + 1, listener);
    if (next.ends === undefined && next.below === undefined) at.below?.delete(level);
    if (at.below?.size === 0) at.below = undefined;
    return isLast;
  }
}

/** Collects the listeners of matching patterns. A branch is visited at most once, since only one way through the name leads to it. */
function collect<T>(at: Branch<T>, levels: Levels, i: number, all: Set<T>): void {
  const level = levels[i];
  if (level === undefined) {
    for (const listener of at.ends ?? []) all.add(listener);
    // A `#` also matches no level, and then no separator is left.
    for (const rest of [":#", "/#"]) for (const listener of at.below?.get(rest)?.ends ?? []) all.add(listener);
    return;
  }
  const everything = i === 0 ? "#" : restBeside(level);
  for (const listener of at.below?.get(everything)?.ends ?? []) all.add(listener);
  for (const key of [level, oneBeside(level)]) {
    const next = at.below?.get(key);
    if (next !== undefined) collect(next, levels, i + 1, all);
  }
}
