import { read, valuePath } from "../../paths/path.ts";
import { Failure, Reject } from "../../value/failure.ts";
import { shown } from "../../value/filtering.ts";
import { isObject, type Json, type JsonObject, put, typeOf } from "../../value/json.ts";
import { text } from "../../value/values.ts";
import type { Filter } from "../feature.ts";

/** The value that `json_stringify` is the text of: structure and null stay, a scalar becomes its text. */
export function json_value_of(value: Json): Json {
  return Array.isArray(value) || isObject(value) || value === null ? value : text(value);
}

/** The text that a log shows for a value that must not be read there (spec/language 3.8). */
export const masked = (value: Json): string | null => (value === null ? null : "***");

/** A stored secret that must be there: nothing goes out with an empty one (spec/surfaces 11). */
export function stored(value: Json, name: Json): Json {
  if (value !== null && value !== "") return value;
  throw new Failure("evaluation", `interpolation secret: ${text(name)} is ${value === null ? "not set" : "empty"}`);
}

/** A path that a marker gives: a dot path whatever it looks like, never `$` syntax (spec/transforms 2.1). */
export const dot_path = (value: Json): string | null => shown(one_name(value), (t) => (t.startsWith("$") ? `.${t}` : t));

/** A name that a marker gives. A list of names is refused, since its JSON text would name no member (spec/transforms 2). */
export function one_name(value: Json): Json {
  if (typeof value === "object" && value !== null) throw new Failure("transform", `expected a text, got ${typeOf(value)}`);
  return value;
}

/** The text of a path that names at most one value; another path fails (spec/transforms 2.2). */
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

/** The argument of an operation on documents that one marker gives: a text must be JSON (spec/language 5.4.4). */
export function document_json(value: Json): Json {
  return typeof value === "string" ? parsedDocument(value) : value;
}

/** Data among documents: no object in it may have a key that starts with `$`, at any depth (spec/language 5.4.4). */
export function no_operators(value: Json): Json {
  const key = dollarKey(value, 0);
  return key === undefined ? value : refuseOperator(`operator key '${key}' in data`);
}

/** Data among expressions of an aggregation: a text that starts with `$` would be read as a field, so it is made a literal. */
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

/** Nesting that a document may have; the server refuses more. */
const deepestDocument = 100;

function parsedDocument(text: string): Json {
  try {
    // JSON.parse gives nothing but JSON.
    return JSON.parse(text) as Json;
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
    const match = find(item);
    if (match !== undefined) return match;
  }
  return undefined;
}

function refuseOperator(message: string): never {
  throw new Failure("evaluation", message);
}

/** These filters are no words of the language: the compiler puts them in the place of others, or around a value. */
export const internals: Readonly<Record<string, Filter>> = {
  masked: { summary: "The value hidden.", arity: 0, internal: true, hides: true, run: masked },
  stored: { summary: "The value, which must be set.", arity: 1, internal: true, run: (value, [name = null]) => stored(value, name) },
  dot_path: { summary: "The value as a dot path.", arity: 0, internal: true, run: dot_path },
  one_name: { summary: "The value, which is no list and no object.", arity: 0, internal: true, run: one_name },
  leaf_path: { summary: "The value as a path to one value.", arity: 0, internal: true, run: leaf_path },
  leaf: { summary: "The value at a path.", arity: 1, internal: true, run: (value, [steps = null]) => leaf(value, steps) },
  document_json: { summary: "The value of a text that is JSON.", arity: 0, internal: true, run: document_json },
  no_operators: { summary: "The value, which holds no operator.", arity: 0, internal: true, run: no_operators },
  no_references: { summary: "The value, which holds no operator and no field.", arity: 0, internal: true, run: no_references },
  no_operator_key: { summary: "The key, which is no operator.", arity: 0, internal: true, run: no_operator_key },
  escape_operators: { summary: "The value, whose keys are no operators.", arity: 0, internal: true, run: escape_operators },
  json_value_of: { summary: "The value whose JSON text json_stringify gives.", arity: 0, internal: true, run: json_value_of },
};
