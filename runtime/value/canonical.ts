import { isObject, type Json, type JsonObject, own, put } from "./json.ts";

/** The JSON text that all equal values share, whatever the order of their members. */
export const canonicalText = (value: Json): string => JSON.stringify(isOrdered(value) ? value : sorted(value));

/** The lower-case form of a text: texts that differ only in case have the same. Both small sigmas become one. */
export const folded = (text: string): string => text.toLowerCase().replaceAll("ς", "σ");

/** True when the members are in order already, as in most values, which then need no copy. */
function isOrdered(value: Json): boolean {
  if (Array.isArray(value)) return value.every(isOrdered);
  if (!isObject(value)) return true;
  const names = Object.keys(value);
  return names.every((name, i) => (i === 0 || (names[i - 1] ?? "") < name) && isOrdered(own(value, name) ?? null));
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const out: JsonObject = {};
  for (const name of Object.keys(value).sort()) put(out, name, sorted(own(value, name) ?? null));
  return out;
}

/** A set of values in which equal ones count once, and are found in constant time. `fold`: the case of texts does not count. */
export class Distinct {
  readonly #scalars = new Set<Json>();
  readonly #structures = new Set<string>();
  readonly #fold: boolean;

  constructor(values: readonly Json[] = [], fold = false) {
    this.#fold = fold;
    for (const value of values) this.add(value);
  }

  get size(): number {
    return this.#scalars.size + this.#structures.size;
  }

  /** Adds the value; false when there is an equal one. */
  add(value: Json): boolean {
    return typeof value === "object" && value !== null
      ? isNew(this.#structures, canonicalText(value))
      : isNew(this.#scalars, this.#key(value));
  }

  /** True when there is an equal one. */
  has(value: Json): boolean {
    if (typeof value !== "object" || value === null) return this.#scalars.has(this.#key(value));
    return this.#structures.size > 0 && this.#structures.has(canonicalText(value));
  }

  #key(value: Json): Json {
    return this.#fold && typeof value === "string" ? folded(value) : value;
  }
}

const isNew = <V>(values: Set<V>, value: V): boolean => values.size < values.add(value).size;
