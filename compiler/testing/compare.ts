import { oneLine, wildcard } from "#runtime/testing/wildcard.ts";
import { isObject, type Json, own } from "#runtime/value/json.ts";

// This file compares expected with actual values. Each comparison gives the path of the first difference, or undefined.

/** Steps into a value. */
export type Path = readonly (string | number)[];

/** Compares two values; keys may be in any order. */
export function difference(expected: Json, actual: Json | undefined, path: Path = []): Path | undefined {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return path;
    const place = elements(expected, actual, path, difference);
    return place ?? (expected.length === actual.length ? undefined : path);
  }
  if (!isObject(expected)) return expected === actual ? undefined : path;
  if (actual === undefined || !isObject(actual)) return path;
  const more = Object.keys(actual).find((key) => !Object.hasOwn(expected, key));
  return members(expected, actual, path, difference) ?? (more === undefined ? undefined : [...path, more]);
}

/** Compares with a part of a value: objects may have more members, lists must have the same length. */
export function lacking(expected: Json, actual: Json | undefined, path: Path = []): Path | undefined {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || expected.length !== actual.length) return path;
    return elements(expected, actual, path, lacking);
  }
  if (!isObject(expected)) return expected === actual ? undefined : path;
  return actual === undefined || !isObject(actual) ? path : members(expected, actual, path, lacking);
}

type Compare = typeof difference;

function elements(expected: readonly Json[], actual: readonly Json[], path: Path, compare: Compare): Path | undefined {
  for (const [i, each] of expected.entries()) {
    const place = compare(each, actual[i], [...path, i]);
    if (place !== undefined) return place;
  }
  return undefined;
}

function members(expected: Record<string, Json>, actual: Record<string, Json>, path: Path, compare: Compare): Path | undefined {
  for (const [key, value] of Object.entries(expected)) {
    const place = compare(value, own(actual, key), [...path, key]);
    if (place !== undefined) return place;
  }
  return undefined;
}

/** A path for people: `items[0].id`. */
export const pathText = (path: Path): string =>
  path.map((step, i) => (typeof step === "number" ? `[${step}]` : i === 0 ? step : `.${step}`)).join("");

/** True when a text matches a text in which `*` stands for any text; line breaks and indentation do not count. */
export const alike = (expected: string, actual: string): boolean => wildcard(oneLine(expected)).test(oneLine(actual));

/** The part of a value that an expected part describes. */
export function partOf(expected: Json, actual: Json | undefined): Json {
  if (isObject(expected) && actual !== undefined && isObject(actual))
    return Object.fromEntries(
      Object.entries(expected).flatMap(([key, value]) => (Object.hasOwn(actual, key) ? [[key, partOf(value, own(actual, key))]] : [])),
    );
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length)
    return expected.map((each, i) => partOf(each, actual[i]));
  return actual ?? null;
}
