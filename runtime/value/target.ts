import type { MatcherOptions, Reading } from "../features/feature.ts";
import { isObject, type Json } from "./json.ts";
import { mask } from "./redact.ts";
import { type Detail, show } from "./show.ts";
import { count, isNumberText, text } from "./values.ts";

/** A number, or text that is a JSON number; NaN for anything else, so that no comparison with it holds (spec/language 6.4, `N(x)`). */
export function numeric(value: Json): number {
  if (typeof value === "number") return value;
  return typeof value === "string" && isNumberText(value) ? Number(value) : Number.NaN;
}

/**
 * The measure that ordering matchers compare: a number itself, the characters of a string, the size of an array or object. Null and
 * booleans have none.
 */
export function measure(target: Json): number {
  if (typeof target === "number") return target;
  return typeof target === "string" || Array.isArray(target) || isObject(target) ? count(target) : Number.NaN;
}

/** The measure of a target as the options of the test ask for it. A text says why the target is not of the type that the compiler knows. */
export const sizeOf = (target: Json, options: MatcherOptions | undefined): number | string =>
  options?.reading === undefined ? measure(target) : options.reading.size(target);

/** The target in the detail of an ordering matcher. */
export const shownTarget = (target: Json, options: MatcherOptions | undefined): string =>
  options?.reading?.hidden && target !== null ? "***" : show(target);

/** The text that text matchers look at: that of a string or a number; undefined for any other target. */
export function plainText(target: Json): string | undefined {
  return typeof target === "string" || typeof target === "number" ? text(target) : undefined;
}

/** The number that a target stands for where the test reads it, such as the text of a parameter; undefined where it stands for none. */
export function readAs(target: Json, reading: Reading): number | undefined {
  const size = reading.size(target);
  return typeof size === "number" && Number.isFinite(size) ? size : undefined;
}

/** Makes the detail of a failure: the first hole is the target, all others are parts of the operand. */
export const detail =
  (words: TemplateStringsArray, target: Json, ...operand: readonly Json[]): Detail =>
  (isSecret) =>
    String.raw({ raw: words }, show(target), ...operand.map((part) => (isSecret ? mask : show(part))));
