import { duration } from "./duration.ts";
import { Failure } from "./failure.ts";
import { asList, isObject, type Json, type JsonObject, own, put, type Step, typeOf } from "./json.ts";
import type { Path, Way, WayOfEach } from "./known.ts";
import { show } from "./show.ts";

/**
 * Follows a path; a missing step, a step on a scalar or out of range is null (spec/language 2.9). A key of digits indexes an array. Where a
 * printed module says what the value is, the type checker follows the path, too.
 */
export function at<Value extends Json, const Steps extends Path>(value: Value, ...path: Way<Value, Steps>): Json;
export function at(value: Json, ...path: Path): Json {
  return member(value, path) ?? null;
}

function member(value: Json, path: Path): Json | undefined {
  let here: Json | undefined = value;
  for (const step of path) {
    if (typeof here !== "object" || here === null) return undefined;
    here = below(here, step);
  }
  return here;
}

const below = (node: Json[] | JsonObject, step: Step): Json | undefined =>
  Array.isArray(node) ? element(node, step) : own(node, typeof step === "string" ? step : String(step));

function element(list: readonly Json[], step: Step): Json | undefined {
  if (typeof step === "number") return list.at(step);
  return /^(?:0|[1-9]\d*)$/.test(step) ? list[Number(step)] : undefined;
}

/** `[*]`: the values found in each element, in order, also null; what is not found is left out. `"*"` in the path fans out again. */
export function each<Value extends Json, const Steps extends Path>(value: Value, ...path: WayOfEach<Value, Steps>): Json;
export function each(value: Json, ...path: Path): Json {
  if (!Array.isArray(value)) return null;
  const star = path.indexOf("*");
  const items = value.flatMap<Json | undefined>((item) =>
    star < 0 ? [member(item, path)] : asList(each(at(item, ...path.slice(0, star)), ...path.slice(star + 1))),
  );
  return items.filter((item) => item !== undefined);
}

/** `count()`: elements, keys or characters; 0 for null, 1 for another scalar. */
export function count(value: Json): number {
  if (value === null) return 0;
  if (Array.isArray(value)) return value.length;
  if (isObject(value)) return Object.keys(value).length;
  return typeof value === "string" ? characters(value) : 1;
}

/** Unicode code points, not UTF-16 units. */
export function characters(value: string): number {
  let n = 0;
  for (const _ of value) n += 1;
  return n;
}

/** A value as text: null is empty, objects and arrays are compact JSON, numbers have their shortest form (spec/language 2.6). */
export function text(value: Json): string {
  if (typeof value === "string") return value;
  return value === null ? "" : JSON.stringify(value);
}

/** A scalar made of markers only: null when all are unset, else the joined text (spec/language 2.1 rule 2). */
export function join(...values: readonly Json[]): Json {
  return values.every((value) => value === null) ? null : values.map(text).join("");
}

/** A map with markers in its keys: an entry whose key came out empty is dropped, a later duplicate wins (spec/language 2.5). */
export function entries(...pairs: readonly (readonly [string | null, Json])[]): JsonObject {
  const out: JsonObject = {};
  for (const [key, value] of pairs) if (key !== null) put(out, key, value);
  return out;
}

/** A key that holds markers. */
export const entryKey = (value: Json): string | null => text(value) || null;

const scalar = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** True when the whole text is a JSON number: leading zeros and blanks are none. */
export const isJsonNumber = (value: string): boolean => scalar.test(value);

/** True when the trimmed text is a JSON number. */
export const isNumberText = (value: string): boolean => isJsonNumber(value.trim());

/**
 * Value position of a JSON template: text that reads as a scalar is that scalar, empty text is null, all else stays (spec/language 2.8).
 */
export function reread(value: Json): Json {
  if (typeof value !== "string") return value;
  const trimmed = value.trim();
  if (trimmed === "" || trimmed === "null") return value === "" || trimmed === "null" ? null : value;
  if (trimmed === "true" || trimmed === "false") return trimmed === "true";
  // A number is used only if it round-trips: digits are never lost.
  return scalar.test(trimmed) && sameNumber(trimmed) ? Number(trimmed) : value;
}

/** True when reading the digits as a double and writing them again loses nothing but their spelling. */
function sameNumber(digits: string): boolean {
  const number = Number(digits);
  return Number.isFinite(number) && normalise(digits) === normalise(String(number));
}

/** Digits without sign of zero, point and exponent spelling: `1.50e3` and `1500` are the same. */
function normalise(digits: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(digits) ?? [];
  const significant = `${whole}${fraction}`.replace(/^0+/, "");
  const trimmed = significant.replace(/0+$/, "");
  const scale = Number(exponent) - fraction.length + (significant.length - trimmed.length);
  return trimmed === "" ? "0" : `${sign}${trimmed}e${scale}`;
}

// Coercion of evaluated scalars into typed fields (spec/language 2.7). Null means that the field is absent.

/** A field that may not be absent. */
export function needed<V>(value: V | null, field: string, expected: string): V {
  return value ?? refuse(field, expected, null);
}

/** A text that may not be absent. */
export const neededString = (value: Json, field: string): string => needed(string(value), field, "string");

export function string(value: Json): string | null {
  return value === null ? null : text(value);
}

export function number(value: Json, field: string, expected = "number"): number | null {
  if (value === null || typeof value === "number") return value;
  const result = typeof value === "string" && isNumberText(value) ? Number(value) : Number.NaN;
  // Digits beyond a double would read as infinity, which no JSON can hold.
  return Number.isFinite(result) ? result : refuse(field, expected, value);
}

export function integer(value: Json, field: string): number | null {
  const result = number(value, field, "integer");
  return result === null || Number.isInteger(result) ? result : refuse(field, "integer", value);
}

export function boolean(value: Json, field: string): boolean | null {
  if (value === null || typeof value === "boolean") return value;
  return value === "true" || value === "false" ? value === "true" : refuse(field, "boolean", value);
}

/** Milliseconds: a number as it is, or the grammar of spec/language 2.7. `unit` is the milliseconds of a bare number. */
export function milliseconds(value: Json, field: string, unit = 1): number | null {
  if (value === null) return null;
  if (typeof value === "number") return value >= 0 ? value * unit : refuse(field, "duration", String(value));
  const result = typeof value === "string" ? (isNumberText(value) ? Number(value) * unit : duration(value)) : undefined;
  return result === undefined || result < 0 || result === Number.POSITIVE_INFINITY ? refuse(field, "duration", value) : result;
}

/** One string counts as a list of one. */
export function strings(value: Json, field: string): string[] | null {
  if (value === null) return null;
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.map(text) : refuse(field, "list of strings", value);
}

/** Fails an action whose field has evaluated to what it does not take. */
export function refuse(field: string, expected: string, value: Json): never {
  const actual = typeOf(value) === "string" ? `'${show(value)}'` : typeOf(value);
  throw new Failure("evaluation", `field ${field}: expected ${expected}, got ${actual}`);
}
