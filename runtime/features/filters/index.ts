import { follow, found, ready } from "../../paths/marker-path.ts";
import { read, valuePath } from "../../paths/path.ts";
import { Failure, Reject } from "../../value/failure.ts";
import { isObject, type Json, type JsonObject, put, typeOf } from "../../value/json.ts";
import { at, characters, isNumberText, text } from "../../value/values.ts";

// The filters of markers (spec/language 2.11). Null is what an unset marker reads as; it passes unchanged where nothing else is said.

/** A filter as compiler, walker and reference page know it. A printed module imports the function of the same name. */
export interface Filter {
  /** One line for the reference page. */
  readonly summary: string;
  readonly arity: 0 | 1;
  /** Takes the instant of the attempt, in Unix milliseconds, as its last argument. */
  readonly clock?: true;
  /** Gives a string that stays a string in whole position. */
  readonly text?: true;
  /** Not a word of the language: what the compiler makes of another filter in a JSON template. */
  readonly internal?: true;
  readonly run: (value: Json, args: readonly Json[], now: number) => Json;
}

/**
 * Whole periods of 24 hours since an ISO 8601 date (without a zone: UTC) or Unix time: a number (from 1e11 on milliseconds), or a text of 9 or 10 digits
 * (seconds) or 13 (milliseconds); null when it is neither.
 */
export function days_since(value: Json, now: number): Json {
  const since = instant(value);
  return since === null ? null : Math.floor((now - since) / 86_400_000);
}

/** Text of anything; null is empty. */
export const to_string = (value: Json): string => text(value);

/** A string that is a JSON number becomes that number, a boolean 1 or 0. Fails for anything else, and for digits beyond a double. */
export function to_number(value: Json): number | null {
  if (value === null || typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  const number = typeof value === "string" && isNumberText(value) ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : refuse("to_number", "a number", value);
}

export const upper = (value: Json): string | null => shown(value, (t) => t.toUpperCase());

export const lower = (value: Json): string | null => shown(value, (t) => t.toLowerCase());

/** Characters, elements or keys; digits of a number; 0 for null. */
export function length(value: Json): number {
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : characters(text(value));
}

/** In single quotes, those inside doubled; null gives two quotes. */
export const single_quote = (value: Json): string => `'${text(value).replaceAll("'", "''")}'`;

/** The text as a JSON string. */
export const double_quote = (value: Json): string | null => shown(value, (t) => JSON.stringify(t));

/** The text escaped for the inside of a JSON string. */
export const json_escape = (value: Json): string | null => shown(value, (t) => JSON.stringify(t).slice(1, -1));

export const json_esc = json_escape;

/** An object or array as compact JSON, anything else as the JSON string of its text; null gives the text `null`. */
export function json_stringify(value: Json): string {
  return value === null ? "null" : JSON.stringify(json_value_of(value));
}

export const tojson = json_stringify;

/** The value that `json_stringify` is the text of: structure and null stay, a scalar becomes its text. */
export function json_value_of(value: Json): Json {
  return Array.isArray(value) || isObject(value) || value === null ? value : text(value);
}

/** Masks a value that must not be read in a log (spec/language 3.8). */
export const masked = (value: Json): string | null => (value === null ? null : "***");

/** A stored secret that must be there: nothing goes out with an empty one (spec/surfaces 11). */
export function stored(value: Json, name: Json): Json {
  if (value === null) throw new Failure("evaluation", `interpolation secret: ${text(name)} is not set`);
  return value;
}

/** A path that a marker gives: a dot path whatever it looks like, never `$` syntax (spec/transforms 2.1). */
export const dot_path = (value: Json): string | null => shown(value, (t) => (t.startsWith("$") ? `.${t}` : t));

/** The text of a path that names at most one value; anything else fails (spec/transforms 2.2). */
export function leaf_path(value: Json): string {
  try {
    return valuePath(value === null ? null : text(value)).text;
  } catch (error) {
    if (error instanceof Reject) throw new Failure("transform", error.message);
    throw error;
  }
}

/** The value at a path of a transform (spec/transforms 2.1). */
export const leaf = (value: Json, steps: Json): Json => read(value, valuePath(leaf_path(steps))) ?? null;

/** Reads the value of one marker for an operation on documents: a text must be JSON (spec/language 5.4.4). */
export function document_json(value: Json): Json {
  return typeof value === "string" ? parsedDocument(value) : value;
}

/** Data among documents: no object in it may have a key that starts with `$`, at any depth (spec/language 5.4.4). */
export function no_operators(value: Json): Json {
  const key = dollarKey(value, 0);
  return key === undefined ? value : refuseOperator(`operator key '${key}' in data`);
}

/** Data among expressions of an aggregation, where a text that starts with `$` would be a field. */
export function no_references(value: Json): Json {
  const text = dollarText(no_operators(value));
  return text === undefined ? value : refuseOperator(`field reference '${text}' in data`);
}

/** A key that data takes part in: no step of it may start with `$`. */
export function no_operator_key(value: Json): Json {
  return /(?:^|\.)\$/.test(text(value)) ? refuseOperator(`operator key '${text(value)}' in data`) : value;
}

/** Data of a document that is inserted: a `$` at the start of a key is written twice, so that it is never the name of a type. */
export function escape_operators(value: Json): Json {
  if (Array.isArray(value)) return value.map(escape_operators);
  if (!isObject(value)) return value;
  const out: JsonObject = {};
  for (const [key, item] of Object.entries(value)) put(out, key.startsWith("$") ? `$${key}` : key, escape_operators(item));
  return out;
}

/** JSON of an array; anything else as the only element, null as none. */
export function json_array(value: Json): string {
  if (Array.isArray(value)) return JSON.stringify(value);
  return value === null ? "[]" : JSON.stringify([value]);
}

/** The text for the inside of an element or of a quoted attribute: none of its characters is markup. */
export const escape_html = (value: Json): string | null => shown(value, markupShown);

/** One character after the other, each a pattern of one text: a function that is called for each, or `replaceAll`, takes five times as long. */
const markupShown = (text: string): string =>
  text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;").replace(/'/g, "&#39;");

export const escape_xml = escape_html;

/** Elements as JSON with commas between them; anything else is one element. */
export function array_values(value: Json): string | null {
  if (value === null) return null;
  return (Array.isArray(value) ? value : [value]).map(jsonPart).join(", ");
}

/** A number is its own JSON, which JavaScript joins in half the time. */
const jsonPart = (item: Json): string | number => (typeof item === "number" ? item : JSON.stringify(item));

/** True when set and not empty: `false` and 0 are set, `""`, `[]` and `{}` are empty. */
export function some(value: Json): boolean {
  if (value === null || value === "") return false;
  if (Array.isArray(value)) return value.length > 0;
  return !isObject(value) || Object.keys(value).length > 0;
}

/** The path in each element, null where there is none. */
export function map(value: Json, path: Json): Json {
  if (value === null) return null;
  if (!Array.isArray(value)) return refuse("map", "an array", value);
  const parsed = ready(path, "map");
  return value.map((item) => found(item, parsed));
}

export const wrap = (value: Json, around: Json): string | null => shown(value, (t) => `${text(around)}${t}${text(around)}`);

export const prefix = (value: Json, before: Json): string | null => shown(value, (t) => `${text(before)}${t}`);

export const suffix = (value: Json, after: Json): string | null => shown(value, (t) => `${t}${text(after)}`);

/** Texts of the elements with the separator between them; anything else as text. */
export function join(value: Json, separator: Json): string | null {
  // JavaScript joins values that are no objects as `text` writes them, in half the time.
  return Array.isArray(value) ? value.map(partText).join(text(separator)) : shown(value, (t) => t);
}

const partText = (item: Json): string | number | boolean | null =>
  typeof item === "object" && item !== null ? JSON.stringify(item) : item;

/** One key, dots and brackets in it included, or an index. */
export const access = (value: Json, key: Json): Json => at(value, typeof key === "number" ? key : text(key));

/** A path that is known only at run time; the compiler turns any other into a plain read. */
export const path = (value: Json, steps: Json): Json => follow(value, steps, "path");

/** Every filter that a plan may name, by its word. `default` and `raw` are not here: the compiler turns them into something else. */
export const filters: Readonly<Record<string, Filter>> = {
  days_since: { summary: "Whole days since a date or Unix time.", arity: 0, clock: true, run: (value, _, now) => days_since(value, now) },
  to_string: { summary: "Any value as text; null is empty.", arity: 0, text: true, run: to_string },
  to_number: { summary: "A numeric string or a boolean as number.", arity: 0, run: to_number },
  upper: { summary: "Upper case.", arity: 0, run: upper },
  lower: { summary: "Lower case.", arity: 0, run: lower },
  length: { summary: "Number of characters, elements or keys.", arity: 0, run: length },
  single_quote: { summary: "Text in single quotes.", arity: 0, text: true, run: single_quote },
  double_quote: { summary: "Text as a JSON string.", arity: 0, text: true, run: double_quote },
  json_esc: { summary: "Text escaped for the inside of a JSON string.", arity: 0, text: true, run: json_esc },
  json_escape: { summary: "Text escaped for the inside of a JSON string.", arity: 0, text: true, run: json_escape },
  json_stringify: { summary: "JSON text of an object or array; JSON string of anything else.", arity: 0, text: true, run: json_stringify },
  tojson: { summary: "JSON text of an object or array; JSON string of anything else.", arity: 0, text: true, run: tojson },
  escape_html: { summary: "Text whose markup is shown and has no effect, for HTML.", arity: 0, text: true, run: escape_html },
  escape_xml: { summary: "Text whose markup is shown and has no effect, for XML.", arity: 0, text: true, run: escape_xml },
  json_array: { summary: "JSON text of an array; anything else becomes its only element.", arity: 0, text: true, run: json_array },
  array_values: { summary: "Elements with commas between them, each as JSON.", arity: 0, text: true, run: array_values },
  some: { summary: "True when the value is set and not empty.", arity: 0, run: some },
  map: { summary: "A path in each element of an array.", arity: 1, run: (value, [steps = null]) => map(value, steps) },
  wrap: { summary: "The text between two copies of another.", arity: 1, text: true, run: (value, [around = null]) => wrap(value, around) },
  prefix: { summary: "A text before it.", arity: 1, text: true, run: (value, [before = null]) => prefix(value, before) },
  suffix: { summary: "A text after it.", arity: 1, text: true, run: (value, [after = null]) => suffix(value, after) },
  join: { summary: "Elements as text with a separator.", arity: 1, text: true, run: (value, [between = null]) => join(value, between) },
  access: { summary: "One key or index.", arity: 1, run: (value, [key = null]) => access(value, key) },
  path: { summary: "A path.", arity: 1, run: (value, [steps = null]) => path(value, steps) },
  masked: { summary: "The value hidden.", arity: 0, internal: true, run: masked },
  stored: { summary: "The value, which must be set.", arity: 1, internal: true, run: (value, [name = null]) => stored(value, name) },
  dot_path: { summary: "The value as a dot path.", arity: 0, internal: true, run: dot_path },
  leaf_path: { summary: "The value as a path to one value.", arity: 0, internal: true, run: leaf_path },
  leaf: { summary: "The value at a path.", arity: 1, internal: true, run: (value, [steps = null]) => leaf(value, steps) },
  document_json: { summary: "The value of a text that is JSON.", arity: 0, internal: true, run: document_json },
  no_operators: { summary: "The value, which holds no operator.", arity: 0, internal: true, run: no_operators },
  no_references: { summary: "The value, which holds no operator and no field.", arity: 0, internal: true, run: no_references },
  no_operator_key: { summary: "The key, which is no operator.", arity: 0, internal: true, run: no_operator_key },
  escape_operators: { summary: "The value, whose keys are no operators.", arity: 0, internal: true, run: escape_operators },
  json_value_of: { summary: "The value whose JSON text json_stringify gives.", arity: 0, internal: true, run: json_value_of },
};

/** Nesting that a document may have; the server refuses more. */
const deepestDocument = 100;

function parsedDocument(given: string): Json {
  try {
    // JSON.parse gives nothing but JSON.
    return JSON.parse(given) as Json;
  } catch {
    throw new Failure("evaluation", "filter document: expected JSON");
  }
}

function dollarKey(value: Json, depth: number): string | undefined {
  if (depth > deepestDocument) return refuseOperator("the data is nested too deep");
  const inner = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  const own = isObject(value) ? Object.keys(value).find((key) => key.startsWith("$")) : undefined;
  return own ?? firstOf(inner, (item) => dollarKey(item, depth + 1));
}

function dollarText(value: Json): string | undefined {
  if (typeof value === "string") return value.startsWith("$") ? value : undefined;
  return firstOf(Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [], dollarText);
}

function firstOf(items: readonly Json[], find: (item: Json) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function refuseOperator(message: string): never {
  throw new Failure("evaluation", message);
}

/** Applies a change of text; null stays null. */
function shown(value: Json, change: (text: string) => string): string | null {
  return value === null ? null : change(text(value));
}

function refuse(filter: string, expected: string, value: Json): never {
  throw new Failure("evaluation", `filter ${filter}: expected ${expected}, got ${typeOf(value)}`);
}

/** Unix milliseconds of a date or Unix time. */
function instant(value: Json): number | null {
  if (typeof value === "number") return Math.abs(value) >= 1e11 ? value : value * 1000;
  if (typeof value !== "string") return null;
  const written = value.trim();
  if (/^(?:\d{9,10}|\d{13})$/.test(written)) return Number(written) * (written.length === 13 ? 1 : 1000);
  return isoInstant(written);
}

const iso =
  /^(?<date>(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d))(?:[T ](?<time>\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?<zone>Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

function isoInstant(written: string): number | null {
  const { date, year, month, day, time = "00:00", zone = "Z" } = iso.exec(written)?.groups ?? {};
  if (date === undefined || Number(day) > new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()) return null;
  const offset = zone.toUpperCase() === "Z" ? "Z" : `${zone.slice(0, 3)}:${zone.slice(3).replace(":", "") || "00"}`;
  const found = Date.parse(`${date}T${time}${offset}`);
  return Number.isNaN(found) ? null : found;
}
