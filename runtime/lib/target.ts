import { isObject, type Json } from "../json.ts";
import { count, isNumberText, text } from "../values.ts";

/** A number, or text that is a JSON number; NaN for anything else, so that no comparison with it holds (language.md 6.4, `N(x)`). */
export function numeric(value: Json): number {
  if (typeof value === "number") return value;
  return typeof value === "string" && isNumberText(value) ? Number(value) : Number.NaN;
}

/**
 * What ordering matchers compare: a number itself, the characters of a string, the size of an array or object. Null and booleans have none.
 */
export function measure(target: Json): number {
  if (typeof target === "number") return target;
  return typeof target === "string" || Array.isArray(target) || isObject(target) ? count(target) : Number.NaN;
}

/** The text that text matchers look at: that of a string or a number; undefined for any other target. */
export function plainText(target: Json): string | undefined {
  return typeof target === "string" || typeof target === "number" ? text(target) : undefined;
}
