import { canonicalText } from "./canonical.ts";
import type { Json, JsonObject } from "./json.ts";

/** Numbers of two items of a list that are equal; `j` is the earlier one. */
interface Duplicate extends JsonObject {
  readonly i: number;
  readonly j: number;
}

/** Items from which on hashes are quicker than a map of all items, which is several hundred milliseconds slower for a million. */
const many = 10_000;

/**
 * The first item that is equal to one before it, as `uniqueItems` of a schema counts equal; null without one. It takes time linear in the
 * text of the list.
 */
export function duplicateItems(list: readonly Json[]): Duplicate | null {
  const places = new Map<Json, number>();
  const first = firstOf(list, 0, Math.min(list.length, many), places);
  if (first !== null || list.length <= many) return first;
  const hashes = Float64Array.from(list, hashOf);
  const repeated = repeatedIn(hashes);
  if (repeated.size === 0) return null;
  places.clear();
  return firstOf(list, 0, list.length, places, (i) => repeated.has(hashes[i] ?? 0));
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

/** A key that equal items have in common, and others have not: no scalar is text that begins with this character but a text. */
function keyOf(item: Json): Json {
  if (typeof item === "string") return `"${item}`;
  return typeof item === "object" && item !== null ? canonicalText(item) : item;
}

/** The values that stand in a list more than once. */
function repeatedIn(hashes: Float64Array): ReadonlySet<number> {
  const repeated = new Set<number>();
  const sorted = hashes.toSorted();
  for (let i = 1; i < sorted.length; i++) if (sorted[i] === sorted[i - 1]) repeated.add(sorted[i] ?? 0);
  return repeated;
}

/** A number that equal items have in common; it is only a hint, since others may have it, too. Zero has one sign. */
function hashOf(item: Json): number {
  if (typeof item === "number") return item + 0;
  if (typeof item === "string") return hashOfText(item, 0x9e3779b9);
  return typeof item === "object" && item !== null ? hashOfText(canonicalText(item), 0x85ebca6b) : Number(item);
}

/** A hash of 53 bits, so that millions of texts seldom have one in common. */
function hashOfText(text: string, seed: number): number {
  let high = seed;
  let low = 0xc2b2ae35;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    high = Math.imul(high ^ unit, 0x01000193);
    low = Math.imul(low + unit, 0x9e3779b1) ^ (low >>> 15);
  }
  return (high >>> 11) * 2 ** 32 + (low >>> 0);
}
