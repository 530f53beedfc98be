import type { Json } from "../../value/json.ts";
import { isObject } from "../../value/json.ts";
import { deepest, giveUp, spend, spendText } from "./signals.ts";

/** False and null are the only values that do not count as true. */
export const truthy = (value: Json): boolean => value !== null && value !== false;

export const not = (value: Json): boolean => !truthy(value);

/** jq orders null, false, true, numbers, text, lists, objects. */
function rank(value: Json): number {
  if (value === null) return 0;
  if (value === false) return 1;
  if (value === true) return 2;
  if (typeof value === "number") return 3;
  if (typeof value === "string") return 4;
  return Array.isArray(value) ? 5 : 6;
}

/** Below, at or above zero. */
export function compare(left: Json, right: Json, depth = 0): number {
  const ranks = rank(left) - rank(right);
  if (ranks !== 0) return ranks;
  if (typeof left === "number" && typeof right === "number") return left - right;
  if (typeof left === "string" && typeof right === "string") return compareText(left, right);
  if (depth > deepest) giveUp();
  if (Array.isArray(left) && Array.isArray(right)) {
    const order = compareLists(left, right, depth);
    if (order !== 0 && left.length === right.length && areOfOneList(left, right)) giveUp();
    return order;
  }
  if (!isObject(left) || !isObject(right)) return 0;
  const keys = sortedKeys(left);
  const byKeys = compareLists(keys, sortedKeys(right), depth);
  if (byKeys !== 0) return byKeys;
  for (const key of keys) {
    const order = compare(left[key] ?? null, right[key] ?? null, depth + 1);
    if (order !== 0) return order;
  }
  return 0;
}

/** The list that a slice was taken from. */
const sliced = new WeakMap<readonly Json[], readonly Json[]>();

/** Remembers where a slice comes from, since jq takes two slices of one list for equal when they have the same length. */
export function sliceOf(list: readonly Json[], from: number, to: number | undefined): Json[] {
  const slice = list.slice(from, to);
  sliced.set(slice, sliced.get(list) ?? list);
  return slice;
}

function areOfOneList(left: readonly Json[], right: readonly Json[]): boolean {
  const list = sliced.get(left);
  return list !== undefined && list === sliced.get(right);
}

function compareLists(left: readonly Json[], right: readonly Json[], depth: number): number {
  spend(Math.min(left.length, right.length));
  for (let i = 0; i < left.length && i < right.length; i++) {
    const order = compare(left[i] ?? null, right[i] ?? null, depth + 1);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** By code points, not by UTF-16 units: these differ where one text has a pair of surrogates. */
function compareText(left: string, right: string): number {
  if (left === right) return 0;
  let i = 0;
  while (left[i] === right[i]) i += 1;
  // Up to here, each character was looked at on its own.
  spend(i);
  if (isHalf(left, i) || isHalf(right, i)) {
    // Half a surrogate pair is not one of jq's characters.
    if (!left.isWellFormed() || !right.isWellFormed()) giveUp();
  }
  // The first halves of two pairs may be equal, so whole pairs are compared.
  const from = i > 0 && isSecondHalf(left, i) && isSecondHalf(right, i) ? i - 1 : i;
  return (left.codePointAt(from) ?? -1) - (right.codePointAt(from) ?? -1);
}

const isHalf = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xf800) === 0xd800;
const isSecondHalf = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00;

/** Keys in the order of `keys`. */
export function sortedKeys(object: Readonly<Record<string, Json>>): string[] {
  const keys = Object.keys(object);
  spend(keys.length);
  return keys.sort(compareText);
}

export function equal(left: Json, right: Json): boolean {
  if (typeof left === "string" && typeof right === "string" && left.length === right.length) spendText(left.length);
  return left === right || (typeof left === "object" && compare(left, right) === 0);
}

export const unequal = (left: Json, right: Json): boolean => !equal(left, right);

/** Numbers, which are compared most, need no look at their types. */
const order = (left: Json, right: Json): number =>
  typeof left === "number" && typeof right === "number" ? left - right : compare(left, right);

export const below = (left: Json, right: Json): boolean => order(left, right) < 0;
export const atMost = (left: Json, right: Json): boolean => order(left, right) <= 0;
export const above = (left: Json, right: Json): boolean => order(left, right) > 0;
export const atLeast = (left: Json, right: Json): boolean => order(left, right) >= 0;
