import { isObject, type Json, type JsonObject, longestName } from "../../value/json.ts";
import { each, get } from "./access.ts";
import { failOn, shown, type } from "./dump.ts";
import { not, sortedKeys } from "./order.ts";
import { fail, giveUp, spend } from "./signals.ts";

/** True for a key that JavaScript moves before all others, or treats in a special way: jq keeps the order in which keys came. */
const isMoved = (key: string): boolean => /^\d/.test(key) || key === "__proto__";

/** Sets a member of an object that a filter builds. Long keys, which JavaScript does not find quickly, are left to jq. */
function set(object: JsonObject, key: string, value: Json): void {
  if (key.length > longestName) giveUp();
  if (isMoved(key) && !Object.hasOwn(object, key)) giveUp();
  object[key] = value;
}

/** `{(key): value, …}` */
export function object(...entries: readonly (readonly [Json, Json])[]): JsonObject {
  const out: JsonObject = {};
  for (const [key, value] of entries) {
    if (typeof key !== "string") return fail(`Cannot use ${shown(key)} as object key`);
    set(out, key, value);
  }
  return out;
}

/** The left object with the members of the right. */
export function merged(left: JsonObject, right: JsonObject): JsonObject {
  const out = copied(left);
  for (const key of Object.keys(right)) set(out, key, right[key] ?? null);
  return out;
}

/** A copy with one member set. */
export function withMember(object: JsonObject, key: string, value: Json): JsonObject {
  const out = copied(object);
  set(out, key, value);
  return out;
}

/** Steps for a member that is copied: it takes as long as many elements. */
const memberSteps = 40;

/** A member that is set takes as long as a few. */
const setSteps = 10;

/**
 * The members of all these objects; of equal names the last one counts. The first object is copied once: a copy for each would take
 * quadratic time.
 */
export function mergedAll([first = {}, ...others]: readonly JsonObject[]): JsonObject {
  const out = copied(first);
  for (const other of others) {
    const names = Object.keys(other);
    spend(names.length * setSteps);
    for (const name of names) set(out, name, other[name] ?? null);
  }
  return out;
}

export function copied(object: JsonObject): JsonObject {
  spend(Object.keys(object).length * memberSteps);
  return { ...object };
}

export function keys(value: Json): Json {
  return isObject(value) ? sortedKeys(value) : keys_unsorted(value);
}

export function keys_unsorted(value: Json): Json {
  if (!Array.isArray(value)) return isObject(value) ? namesOf(value) : failOn(value, "has no keys");
  spend(value.length);
  return value.map((_, i) => i);
}

/** Members, elements, characters; the size of a number. */
export function length(value: Json): Json {
  if (value === null) return 0;
  if (typeof value === "string") return textLength(value);
  if (Array.isArray(value)) return value.length;
  if (isObject(value)) return namesOf(value).length;
  return typeof value === "number" ? Math.abs(value) : failOn(value, "has no length");
}

function namesOf(object: JsonObject): string[] {
  const names = Object.keys(object);
  spend(names.length);
  return names;
}

function textLength(text: string): number {
  spend(text.length / 2);
  if (!text.isWellFormed()) giveUp();
  let n = 0;
  for (const _ of text) n += 1;
  return n;
}

export function has(value: Json, key: Json): Json {
  if (isObject(value) && typeof key === "string") return Object.hasOwn(value, key);
  if (Array.isArray(value) && typeof key === "number") return Number.isInteger(key) ? key >= 0 && key < value.length : giveUp();
  return value === null ? false : fail(`Cannot check whether ${type(value)} has a ${type(key)} key`);
}

export function to_entries(value: Json): Json {
  if (Array.isArray(value)) {
    spend(value.length);
    return value.map((item, key) => ({ key, value: item }));
  }
  if (!isObject(value)) return failOn(value, "has no keys");
  spend(Object.keys(value).length);
  return Object.entries(value).map(([key, item]) => ({ key, value: item }));
}

/** Members other than `key` and `value` are rare, and are left to jq. */
export function from_entries(value: Json): Json {
  const out: JsonObject = {};
  for (const entry of each(value)) {
    const key = get(entry, "key");
    if (!isObject(entry) || not(key)) return giveUp();
    if (typeof key !== "string") return fail(`Cannot use ${shown(key)} as object key`);
    if (!Object.hasOwn(entry, "value") && Object.keys(entry).length > 1) return giveUp();
    set(out, key, entry.value ?? null);
  }
  return out;
}

/** `with_entries(f)` */
export function with_entries(value: Json, change: (entry: Json) => Json): Json {
  return from_entries(each(to_entries(value)).map(change));
}

/** `map_values(f)` */
export function map_values(value: Json, change: (item: Json) => Json): Json {
  if (!isObject(value)) return each(value).map((item) => change(item));
  const out = copied(value);
  for (const key of Object.keys(value)) out[key] = change(value[key] ?? null);
  return out;
}
