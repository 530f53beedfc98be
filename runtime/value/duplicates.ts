import { canonicalText } from "./canonical.ts";
import type { Json, JsonObject } from "./json.ts";

/** Numbers of two items of a list that are equal; `j` is the earlier one. */
interface Duplicate extends JsonObject {
  readonly i: number;
  readonly j: number;
}

/** Items of a list from which on hashes are compared first: a map of a million texts takes half a second. */
const many = 10_000;

/**
 * The first item that is equal to an earlier one, by the equality of `uniqueItems` in JSON Schema; null without one. It takes time linear
 * in the text of the list.
 */
export function duplicateItems(list: readonly Json[]): Duplicate | null {
  const places = new Map<Json, number>();
  const first = firstOf(list, 0, Math.min(list.length, many), places);
  if (first !== null || list.length <= many) return first;
  const mayRepeat = repeatedIn(list);
  places.clear();
  return mayRepeat === undefined ? null : firstOf(list, 0, list.length, places, mayRepeat);
}

function firstOf(
  list: readonly Json[],
  from: number,
  to: number,
  places: Map<Json, number>,
  isAsked = (_: number): boolean => true,
): Duplicate | null {
  for (let i = from; i < to; i++) {
    if (!isAsked(i)) continue;
    const key = keyOf(list[i] ?? null);
    const j = places.get(key);
    if (j !== undefined) return { i, j };
    places.set(key, i);
  }
  return null;
}

/** A key that is equal for equal items only. Texts get a quote in front, so that no text looks like the JSON of an object. */
function keyOf(item: Json): Json {
  if (typeof item === "string") return `"${item}`;
  return typeof item === "object" && item !== null ? canonicalText(item) : item;
}

/** Bits of a hash. Of a million different items about one in sixteen shares its hash with another; a set of all hashes takes 2 MiB. */
const bits = 24;

/** A function that says of an item, by its number, whether it may occur more than once; undefined when no item does. */
function repeatedIn(list: readonly Json[]): ((i: number) => boolean) | undefined {
  const hashes = new Uint32Array(list.length);
  const seen = new Uint32Array(2 ** (bits - 5));
  const twice = new Uint32Array(2 ** (bits - 5));
  const hashOf = hashing();
  let isAny = false;
  for (let i = 0; i < list.length; i++) {
    const hash = hashOf(list[i] ?? null);
    hashes[i] = hash;
    if (has(seen, hash)) {
      isAny = true;
      add(twice, hash);
    }
    add(seen, hash);
  }
  return isAny ? (i) => has(twice, hashes[i] ?? 0) : undefined;
}

// Sets of hashes have one bit for each hash, so that they fit the cache of the processor.

const has = (set: Uint32Array, hash: number): boolean => ((set[hash >>> 5] ?? 0) & (1 << (hash & 31))) !== 0;

function add(set: Uint32Array, hash: number): void {
  set[hash >>> 5] = (set[hash >>> 5] ?? 0) | (1 << (hash & 31));
}

/** The hash of an item. Equal items have the same hash, and so may others. Zero has one sign. */
function hashing(): (item: Json) => number {
  const number = new Float64Array(1);
  const halves = new Uint32Array(number.buffer);
  return (item) => {
    if (typeof item === "string") return hashOfText(item, 0x9e3779b9);
    if (typeof item === "object" && item !== null) return hashOfText(canonicalText(item), 0x85ebca6b);
    number[0] = Number(item) + 0;
    return mixed(Math.imul(halves[0] ?? 0, 0x85ebca6b) ^ Math.imul(halves[1] ?? 0, 0x9e3779b1));
  };
}

function hashOfText(text: string, seed: number): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return mixed(hash);
}

/** Spreads the differences in any bit of a number over all bits of a hash. */
function mixed(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  const again = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return (again ^ (again >>> 16)) >>> (32 - bits);
}
