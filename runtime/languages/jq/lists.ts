import { isObject, type Json } from "../../value/json.ts";
import { each, get } from "./access.ts";
import { plus } from "./arithmetic.ts";
import { failOn, failOnBoth } from "./dump.ts";
import { length, mergedAll } from "./objects.ts";
import { below, compare, equal, truthy } from "./order.ts";
import { deepest, fail, giveUp, spend, spendText } from "./signals.ts";

type Key = (item: Json) => Json;

const itself: Key = (item) => item;

const sorting = "cannot be sorted, as it is not an array";

const listOf = (value: Json): readonly Json[] => (Array.isArray(value) ? value : failOn(value, sorting));

/** Elements with their keys, in order; equal ones stay as they were. */
function ranked(list: readonly Json[], key: Key): { readonly item: Json; readonly key: Json }[] {
  spend(list.length);
  return list.map((item) => ({ item, key: key(item) })).sort((a, b) => compare(a.key, b.key));
}

const sortingBy = "cannot be sorted, as they are not both arrays";
const choosing = "cannot be iterated over";

/**
 * The list that `_by` functions look at. An object fails, but only after `key` was called for each of its values: their errors come first.
 */
function byList(value: Json, key: Key, problem: string): readonly Json[] {
  if (isObject(value)) {
    const keys = each(value).map((item) => [key(item)]);
    // A filter with several outputs was compiled so that it gives them as one list.
    if (keys.some(([one]) => Array.isArray(one))) giveUp();
    return failOnBoth(value, keys, problem);
  }
  return each(value);
}

export const sort = (value: Json): Json => ranked(listOf(value), itself).map(({ item }) => item);
export const sort_by = (value: Json, key: Key): Json => ranked(byList(value, key, sortingBy), key).map(({ item }) => item);
export const group_by = (value: Json, key: Key): Json => groups(byList(value, key, sortingBy), key);
export const unique = (value: Json): Json => groups(listOf(value), itself).map(first);
export const unique_by = (value: Json, key: Key): Json => groups(byList(value, key, sortingBy), key).map(first);

function groups(list: readonly Json[], key: Key): Json[][] {
  const out: Json[][] = [];
  let last: Json | undefined;
  for (const { item, key: own } of ranked(list, key)) {
    if (last !== undefined && equal(last, own)) out.at(-1)?.push(item);
    else out.push([item]);
    last = own;
  }
  return out;
}

const isLess = (order: number): boolean => order < 0;
const isNotLess = (order: number): boolean => order >= 0;

const ofList = (value: Json): readonly Json[] => (Array.isArray(value) ? each(value) : failOnBoth(value, value, choosing));

export const min = (value: Json): Json => best(ofList(value), itself, isLess);
export const max = (value: Json): Json => best(ofList(value), itself, isNotLess);
export const min_by = (value: Json, key: Key): Json => best(byList(value, key, choosing), key, isLess);
export const max_by = (value: Json, key: Key): Json => best(byList(value, key, choosing), key, isNotLess);

/** Finds the least or greatest element: of equal ones the first is the least, and the last the greatest. */
function best(list: readonly Json[], key: Key, isBetter: (order: number) => boolean): Json {
  let leader: { readonly item: Json; readonly key: Json } | undefined;
  for (const candidate of list.map((item) => ({ item, key: key(item) })))
    if (leader === undefined || isBetter(compare(candidate.key, leader.key))) leader = candidate;
  return leader?.item ?? null;
}

/** `add`: null for nothing. */
export function add(value: Json): Json {
  const list = each(value);
  // Texts, lists and objects are joined at once, because joining them one by one would copy the result each time.
  if (list.length > 2 && list.every((item) => typeof item === "string")) {
    const text = list.join("");
    spendText(text.length);
    return text;
  }
  if (list.length > 2 && list.every(Array.isArray)) {
    const flat = list.flat();
    spend(flat.length);
    return flat;
  }
  const values = list.filter((item) => item !== null);
  return values.length > 2 && values.every(isObject) ? mergedAll(values) : values.reduce<Json>(plus, null);
}

export const any = (value: Json, test: (item: Json) => Json = itself): boolean => each(value).some((item) => truthy(test(item)));
export const all = (value: Json, test: (item: Json) => Json = itself): boolean => each(value).every((item) => truthy(test(item)));

/** `first`, which is `.[0]`. */
function first(list: Json[]): Json {
  return list[0] ?? null;
}

export function flatten(value: Json, depth: Json = 1e9): Json {
  if (below(depth, 0)) return fail("flatten depth must not be negative");
  // jq subtracts one for each level, so a fraction never reaches zero.
  if (typeof depth !== "number" || !Number.isInteger(depth)) return giveUp();
  const flat = [...each(value)].flat(Math.min(depth, deepest) as 1) as Json[]; // a list of JSON stays one
  if (depth > deepest && flat.some(Array.isArray)) giveUp();
  spend(flat.length);
  return flat;
}

/** The elements of a list in reverse order. Any other value has no last element, so it fails unless it is empty. */
export function reverse(value: Json): Json {
  if (Array.isArray(value)) return each(value).toReversed();
  const size = Number(length(value));
  return size > 0 ? get(value, size - 1) : [];
}
