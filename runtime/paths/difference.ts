import { isObject, type Json, type JsonObject, own } from "../value/json.ts";
import { elementPath, memberPath } from "./member-path.ts";

/**
 * Path of the first place where two values differ as JSON, without coercion; undefined when they do not. Key order does not count, members
 * of the `ignored` names do not count at any depth. Members are looked at in the order of the expected value, then those that only the
 * actual one has.
 */
export function difference(actual: Json, expected: Json, ignored: ReadonlySet<string>, at = ""): string | undefined {
  if (Array.isArray(expected) && Array.isArray(actual)) return inElements(actual, expected, ignored, at);
  if (isObject(expected) && isObject(actual)) return inMembers(actual, expected, ignored, at);
  return actual === expected ? undefined : at || "$";
}

function inElements(actual: readonly Json[], expected: readonly Json[], ignored: ReadonlySet<string>, at: string): string | undefined {
  const shared = Math.min(actual.length, expected.length);
  for (let i = 0; i < shared; i++) {
    const mismatch = difference(actual[i] ?? null, expected[i] ?? null, ignored, elementPath(at, i));
    if (mismatch !== undefined) return mismatch;
  }
  return actual.length === expected.length ? undefined : elementPath(at, shared);
}

function inMembers(actual: JsonObject, expected: JsonObject, ignored: ReadonlySet<string>, at: string): string | undefined {
  for (const key of Object.keys(expected)) {
    if (ignored.has(key)) continue;
    const value = own(actual, key);
    const place = memberPath(at, key);
    const mismatch = value === undefined ? place : difference(value, own(expected, key) ?? null, ignored, place);
    if (mismatch !== undefined) return mismatch;
  }
  const extra = Object.keys(actual).find((key) => !ignored.has(key) && !Object.hasOwn(expected, key));
  return extra === undefined ? undefined : memberPath(at, extra);
}
