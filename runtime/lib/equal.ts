import { isObject, type Json, type JsonObject, own } from "../json.ts";
import { text } from "../values.ts";
import { numeric } from "./target.ts";

/** Equal as JSON values: no coercion, key order ignored. `fold` compares two strings without case. */
export function equal(a: Json, b: Json, fold = false): boolean {
  if (typeof a === "string" && typeof b === "string" && fold) return a.toLowerCase() === b.toLowerCase();
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => equal(item, b[i] ?? null));
  return isObject(a) ? isObject(b) && sameMembers(a, b) : a === b;
}

function sameMembers(a: JsonObject, b: JsonObject): boolean {
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && equal(own(a, key) ?? null, own(b, key) ?? null))
  );
}

/**
 * Equal as `is_equal_to` means it (language.md 6.4): the target's type decides how the expected value is read. A string is compared with
 * its text, a number with its number, a boolean also with its name. Null, arrays and objects are compared as they are.
 */
export function matches(target: Json, expected: Json, fold = false): boolean {
  if (typeof target === "string") return expected !== null && equal(target, text(expected), fold);
  if (typeof target === "number") return target === numeric(expected);
  if (typeof target === "boolean") return target === expected || String(target) === expected;
  return equal(target, expected);
}
