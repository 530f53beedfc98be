import { Failure } from "../value/failure.ts";
import { Recent } from "../value/recent.ts";
import type { StateKey } from "./store.ts";

/**
 * Bounds sets whose identities expire (spec/transforms 8). Counting a large set is slow. A set is therefore counted at its first use, and
 * only again when the identities that were added since then would make it full, because others may have expired.
 */
export class Fullness {
  readonly #counts = new Recent<number>(1000);

  /** True when the set has to be counted before `more` identities are added. */
  isDoubtful(set: StateKey, more: number, most: number): boolean {
    return (this.#counts.get(nameOf(set)) ?? Number.POSITIVE_INFINITY) + more > most;
  }

  /** Fails when the set is full. */
  counted(set: StateKey, count: number, more: number, most: number): void {
    if (count + more > most) throw new Failure("state", `set '${set.key}' would hold more than ${most} ids`);
    this.#counts.set(nameOf(set), count);
  }

  added(set: StateKey, more: number): void {
    const name = nameOf(set);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + more);
  }
}

const nameOf = ({ namespace, key }: StateKey): string => `${namespace}\0${key}`;
