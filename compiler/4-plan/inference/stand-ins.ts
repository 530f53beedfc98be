import type { JsonSchema } from "#runtime/features/feature.ts";
import type { Coercion, Expr, TextPart } from "#runtime/plan/index.ts";
import { type Json, type JsonObject, put } from "#runtime/value/json.ts";

/** A stand-in for a marker: it is valid as a path, a name, a selector, Base32, Base64, hex and more. */
const word = "aaaaaaaa";
/** True for a message that quotes the stand-in for a marker, and so says nothing about the author's text. */
export const quotesStandIn = (text: string): boolean => text.includes(`'${word}'`);

/** The stand-in for a marker in a path; messages show it in this form. */
const sample = "a|…|";
/** The stand-in for a pattern: it has more groups than a replacement can name. */
const groups = "()".repeat(99);

/**
 * Arguments with plausible values in the place of markers, so that the written parts can be checked (spec/transforms 2.2): once with all
 * fields, and once without optional fields. Arguments are surely wrong only when stage 1 refuses both. The list is empty when a marker
 * stands for all arguments or for the pattern.
 */
export function standIns(args: Expr, schema: JsonSchema): readonly Json[] {
  if (args.op === "list" || isPath(args)) return [filled(args, schema)];
  if (args.op !== "map") return [];
  const isPattern = ([key, { op }]: Entries[number]): boolean => op === "typed" && fieldOf(schema, nameOf(key))?.context === "regex";
  return args.entries.some(isPattern) ? [] : [members(args.entries, schema), members(args.entries, schema, true)];
}

type Entries = (Expr & { readonly op: "map" })["entries"];

/** The members of a record of arguments. Members of a free-form map are never left out, because no schema calls them optional. */
function members(entries: Entries, schema: JsonSchema, leaveOut = false): JsonObject {
  const isNeeded = (key: string | Expr): boolean =>
    forms(schema).some(({ properties, required }) => !properties || required?.includes(nameOf(key)));
  const out: JsonObject = {};
  for (const [key, value] of entries) {
    const part = leaveOut && !isNeeded(key) ? writtenOf(value) : value;
    if (part === undefined) continue;
    const inner = fieldOf(schema, nameOf(key)) ?? {};
    put(out, nameOf(key), leaveOut && part.op === "text" && !isPath(part) ? standIn(inner) : filled(part, inner));
  }
  return out;
}

/** The argument without its markers. */
function writtenOf(e: Expr): Expr | undefined {
  const isWritten = (one: Expr): boolean => one.op === "lit" || isPath(one);
  if (e.op !== "list") return isWritten(e) ? e : undefined;
  const items = e.items.filter(isWritten);
  return items.length > 0 ? { ...e, items } : undefined;
}

const nameOf = (key: string | Expr): string => (typeof key === "string" ? key : isPath(key) ? textOf(key) : word);

type Text = Expr & { readonly op: "text" };

/** True for a path in which markers stand for keys: the form of the path is known, only the keys are not. */
const isPath = (e: Expr): e is Text => e.op === "text" && e.parts.some((part) => typeof part !== "string" && part.fill.startsWith("path_"));

/** A path with stand-ins for its markers; undefined for a path that is one marker. */
export function pathSample(path: Expr): Json | undefined {
  if (path.op === "lit") return path.value;
  return isPath(path) ? textOf(path) : undefined;
}

const textOf = ({ parts }: Text): string => parts.map((part) => (typeof part === "string" ? part : inText(part))).join("");

function inText({ fill }: Exclude<TextPart, string>): string {
  switch (fill) {
    case "path_key":
      return `["${sample}"]`;
    case "path_value":
      return `"${sample}"`;
    case "path_text":
      return sample;
    default:
      return word;
  }
}

const forms = (schema: JsonSchema): readonly JsonSchema[] => schema.anyOf?.filter(({ type }) => type === "object") ?? [schema];

/** The schema of a declared field. */
export function fieldOf(schema: JsonSchema, key: string): JsonSchema | undefined {
  return forms(schema).find(({ properties }) => properties && Object.hasOwn(properties, key))?.properties?.[key];
}

function filled(expr: Expr, schema: JsonSchema): Json {
  switch (expr.op) {
    case "lit":
      return expr.value;
    case "list":
      return expr.items.map((item) => filled(item, schema.items ?? {}));
    case "map":
      return members(expr.entries, schema);
    case "text":
      return textOf(expr);
    case "typed":
      return standIn(schema, expr.as);
    default:
      return standIn(schema);
  }
}

/** A value that the field may take. If possible it differs from the default, which is tried by leaving the field out. */
export function standIn(schema: JsonSchema, as?: Coercion): Json {
  const { type, context, examples, default: usual, enum: choices, anyOf } = schema;
  const [form] = anyOf ?? [];
  if (form !== undefined) return standIn(form, as);
  if (context === "regex") return groups;
  if (type === "object") return {};
  if (type === "array") return [];
  if ((as ?? type) === "boolean") return usual !== true;
  return choices?.at(-1) ?? examples?.[0] ?? usual ?? plain[as ?? String(type)] ?? word;
}

const plain: Readonly<Record<string, Json>> = { number: 10, integer: 10, duration: 10, seconds: 10, strings: [word] };
