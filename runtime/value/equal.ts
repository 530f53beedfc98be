import { folded } from "./canonical.ts";
import { isObject, type Json, type JsonObject, own } from "./json.ts";
import { numeric } from "./target.ts";
import { text } from "./values.ts";

/** Equal as JSON values: no coercion, key order ignored. `fold` compares two strings without case. */
export function equal(a: Json, b: Json, fold = false): boolean {
  if (typeof a === "string" && typeof b === "string" && fold) return folded(a) === folded(b);
  return same(a, b, nothing);
}

const nothing = (): void => undefined;

/** Compares values of any size: `count` is called for every pair of values that is compared, and may throw to end the comparison. */
export function same(a: Json, b: Json, count: () => void): boolean {
  count();
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => same(item, b[i] ?? null, count));
  return isObject(a) ? isObject(b) && sameMembers(a, b, count) : a === b;
}

function sameMembers(a: JsonObject, b: JsonObject, count: () => void): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && same(own(a, key) ?? null, own(b, key) ?? null, count));
}

/**
 * Equal as `is_equal_to` means it (spec/language 6.4): the target's type decides how the expected value is read. A string is compared with
 * its text, a number with its number, a boolean also with its name. Null, arrays and objects are compared as they are.
 */
export function matches(target: Json, expected: Json, fold = false): boolean {
  if (typeof target === "string") return expected !== null && equal(target, text(expected), fold);
  if (typeof target === "number") return target === numeric(expected);
  if (typeof target === "boolean") return target === expected || String(target) === expected;
  return equal(target, expected);
}

/**
 * As `matches`, and for texts that may be secrets time does not tell how far a guess is right: they are compared to the end. That takes too
 * long for filters of many rows.
 */
export function matchesEvenly(target: Json, expected: Json, fold?: boolean): boolean {
  if (typeof target !== "string" || expected === null || fold) return matches(target, expected, fold);
  const other = text(expected);
  const { length } = target;
  // Only texts of these lengths may be secrets.
  if (length !== other.length || length < 6 || length > 1_024) return target === other;
  let difference = 0;
  for (let i = 0; i < length; i++) difference |= target.charCodeAt(i) ^ other.charCodeAt(i);
  return difference === 0;
}
