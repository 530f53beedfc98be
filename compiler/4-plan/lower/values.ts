import type { Context, JsonSchema } from "#runtime/features/feature.ts";
import type { BodyPlan, Coercion, Expr } from "#runtime/plan/index.ts";
import { durationProblem } from "#runtime/value/duration.ts";
import { Failure } from "#runtime/value/failure.ts";
import { type Json, typeOf } from "#runtime/value/json.ts";
import { isReordered } from "#runtime/value/ordered.ts";
import * as coerce from "#runtime/value/values.ts";
import { type Entry, isNull, type ListNode, type MapNode, type Node, type ScalarNode } from "../../1-read/document.ts";
import { onlyMarker } from "../../1-read/markers/markers.ts";
import { dereference } from "../../2-check/schema.ts";
import { shape } from "../../diagnostics/codes/file.ts";
import { values } from "../../diagnostics/codes/values.ts";
import { checkLiteralSecret } from "../inference/literal-secret.ts";
import type { BodyLanguage, Lowering } from "../markers/scope.ts";
import { lowerStart } from "../start.ts";
import { languageOf } from "./body-language.ts";
import { checkAlmostJson, typeOfHeaders } from "./body-type.ts";
import { lowerBody, lowerText } from "./contexts.ts";
import { listOf, mapOf } from "./fold.ts";
import { keyScalar, readScalar } from "./scalar.ts";

const unset: Expr = { op: "lit", value: null };

/** The role of a value in the record around it. */
interface Slot {
  /** The name of the value in messages: its key. */
  readonly field: string;
  /** True when a marker that gives null fails instead of leaving the field out. */
  readonly required: boolean;
}

/**
 * Turns a value of the config into an expression, by the schema of its field. A marker becomes a read, which is filled by the rule of its
 * context. Everything that is known when compiling becomes a literal, converted in the same way as at run time (spec/language 2.1, 2.5,
 * 2.7, 2.8).
 */
export function lower(
  node: Node,
  schema: JsonSchema,
  cx: Lowering,
  slot: Slot = { field: schema.title ?? "value", required: false },
): Expr {
  const form = chosen(node, schema, cx);
  switch (node.kind) {
    case "scalar":
      return lowerStart(node, schema, cx, slot) ?? lowerScalar(node, schema, form, cx, slot);
    case "list":
      return lowerList(node, form, cx, slot);
    case "map":
      return lowerMap(node, form, cx, slot);
  }
}

/** A whole response body, and how it is sent (spec/language 7.5). */
export const lowerResponseBody = (node: Node, cx: Lowering): BodyPlan => lowerBody(node, (structure) => lower(structure, {}, cx), cx);

function lowerList({ items }: ListNode, form: JsonSchema, cx: Lowering, slot: Slot): Expr {
  const inner = inherit(form, form.items ?? {});
  // An item must not be dropped: a list of addresses without one of them would admit a caller, and a list of failures without one of them
  // would prevent a retry.
  const required = form.context === "start" && inner.judge !== undefined;
  return listOf(items.map((item) => lower(item, inner, cx, { field: slot.field, required })));
}

function lowerMap({ entries }: MapNode, form: JsonSchema, cx: Lowering, slot: Slot): Expr {
  const lowered = entries.flatMap((entry) => lowerEntry(entry, form, cx, slot, entries));
  const names = lowered.map(([key]) => key).filter((key) => typeof key === "string");
  if (form.ordered !== true || names.length < lowered.length || !isReordered(names)) return mapOf(lowered);
  return listOf(lowered.map(([, value], i) => listOf([{ op: "lit", value: names[i] ?? "" }, value])));
}

type LoweredEntry = readonly [string | Expr, Expr];

/**
 * Lowers an entry. A declared key that is null is absent (spec/language 1.3) unless its field has `keepsNull`; a free-form map keeps all
 * keys. Unknown keys of a closed record, and parts that this version cannot compile, were reported by phase 2.
 */
function lowerEntry(entry: Entry, form: JsonSchema, cx: Lowering, slot: Slot, around: readonly Entry[]): readonly LoweredEntry[] {
  const { properties = {}, required = [], additionalProperties = true } = form;
  const { key, value } = entry;
  const declared = Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (declared === undefined) {
    if (additionalProperties === false) return [];
    const inner = inherit(form, additionalProperties === true ? {} : additionalProperties);
    // In a map of free keys, messages name the field that holds the map.
    const field = form.properties === undefined && form.additionalProperties === undefined ? slot.field : key;
    return [[lowerKey(entry, form.keys, cx), lower(value, inner, cx, { field, required: false })]];
  }
  const field = dereference(declared, cx.definitions);
  const { context } = field;
  if (isNull(value) && field.keepsNull !== true) return [];
  checkLiteralSecret(entry, field, cx.report);
  if (context === "json_text") return lowerJsonBody(key, value, { ...cx, language: languageBeside(value, around) });
  return [[key, lower(value, inherit(form, declared), cx, { field: key, required: required.includes(key) })]];
}

/** Lowers a body. A second key marks a text that is a JSON template, because such a body is sent in another way. */
function lowerJsonBody(key: string, value: Node, cx: Lowering): readonly LoweredEntry[] {
  const body = lowerResponseBody(value, cx);
  if (body.as === "text" && cx.language === undefined) checkAlmostJson(key, value, cx);
  return body.as === "json_text"
    ? [
        [key, body.of],
        [`${key}_is_json`, { op: "lit", value: true }],
      ]
    : [[key, body.of]];
}

/**
 * The language of a text that the content type beside it names. A map is written in it by us, and a value that is the whole text was
 * written by another.
 */
function languageBeside(node: Node, around: readonly Entry[]): BodyLanguage | undefined {
  if (node.kind !== "scalar" || typeof node.value !== "string") return undefined;
  const whole = onlyMarker(readScalar(node, () => undefined).template, /^\s+$/);
  if (whole !== undefined && whole.root !== "template") return undefined;
  return languageOf(typeOfHeaders(around.find(({ key }) => key === "headers")?.value));
}

/** A key of a free-form map may hold markers (spec/language 2.5), which are filled by the context of its keys. */
function lowerKey(entry: Entry, context: Context | undefined, cx: Lowering): string | Expr {
  const key = lowerText(keyScalar(entry), context, cx, entry.key, true);
  // A key that is not sound was reported.
  return key.op === "lit" ? String(key.value ?? entry.key) : key;
}

function lowerScalar(node: ScalarNode, schema: JsonSchema, form: JsonSchema, cx: Lowering, slot: Slot): Expr {
  const as = coercionOf(schema, cx, slot.field);
  const context = contextOf(schema, form, cx);
  const of =
    typeof node.value === "string"
      ? lowerText(node, context, cx, slot.field, as === "string")
      : ({ op: "lit", value: node.value } as const);
  if (as === undefined || (context !== undefined && wholes.has(context))) return of;
  return of.op === "lit" ? coerced(of.value, as, node, cx, slot) : typed(of, as, slot);
}

/** Contexts whose values are not converted to the type of the field. */
const wholes: ReadonlySet<Context> = new Set(["source", "replacement", "expression", "jq", "json", "json_text", "json_file", "shell"]);

/** True for a number without a unit that was hardly meant as milliseconds. */
export const isFewMilliseconds = (value: Json): value is number =>
  typeof value === "number" && Number.isInteger(value) && value > 0 && value < 100;

/** A value that is known when compiling, converted to the type of its field (PW114). */
function coerced(value: Json, as: Coercion, node: ScalarNode, cx: Lowering, { field }: Slot): Expr {
  if (isFewMilliseconds(value) && as === "duration" && /(?:timeout|delay)$/.test(field))
    cx.report(values.fewMilliseconds(field, value), node.span);
  try {
    return { op: "lit", value: coercion(as, value, field) };
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    const problem =
      nameOf[as] === "duration" && (typeof value === "number" || typeof value === "string") ? durationProblem(value) : undefined;
    cx.report(shape.wrongType(field, nameOf[as], typeOf(value), { problem }), node.span);
    return unset;
  }
}

/** A value that is known only at run time, with its conversion. A text made of parts is already a string. */
function typed(of: Expr, as: Coercion, { field, required }: Slot): Expr {
  if (as === "string" && of.op === "text") return of;
  return { op: "typed", as, field, of, ...(required ? { required: true } : {}) };
}

const nameOf: Readonly<Record<Coercion, string>> = {
  string: "string",
  number: "number",
  integer: "integer",
  boolean: "boolean",
  duration: "duration",
  seconds: "duration",
  strings: "list of strings",
};

function coercion(as: Coercion, value: Json, field: string): Json {
  switch (as) {
    case "string":
      return coerce.string(value);
    case "number":
      return coerce.number(value, field);
    case "integer":
      return coerce.integer(value, field);
    case "boolean":
      return coerce.boolean(value, field);
    case "strings":
      return coerce.strings(value, field);
    case "duration":
      return coerce.milliseconds(value, field);
    case "seconds":
      return coerce.milliseconds(value, field, 1000);
  }
}

/** The type that a scalar of the field becomes; undefined when it stays what it is. */
function coercionOf(schema: JsonSchema, cx: Lowering, field: string): Coercion | undefined {
  const forms = formsOf(schema, cx);
  const kinds = new Set(forms.map((form) => kindOf(form, field)));
  kinds.delete("null");
  if (kinds.size === 1) return [...kinds].find((kind): kind is Coercion => kind !== "other" && kind !== "list of strings");
  return kinds.size === 2 && kinds.has("string") && kinds.has("list of strings") ? "strings" : undefined;
}

type Kind = Coercion | "null" | "list of strings" | "other";

function kindOf(form: JsonSchema, field: string): Kind {
  if (form.format === "duration") return /_(?:seconds|secs)$/.test(field) ? "seconds" : "duration";
  const types = (typeof form.type === "string" ? [form.type] : (form.type ?? [])).filter((type) => type !== "null");
  const [type] = types;
  if (type === undefined) return form.type === undefined ? "other" : "null";
  if (types.length > 1) return "other";
  if (type === "array" && form.items?.type === "string") return "list of strings";
  return type === "string" || type === "number" || type === "integer" || type === "boolean" ? type : "other";
}

/** Every form that a field may have, also the forms inside unions. */
function formsOf(schema: JsonSchema, cx: Lowering): readonly JsonSchema[] {
  const target = dereference(schema, cx.definitions);
  return target.anyOf === undefined ? [target] : target.anyOf.flatMap((form) => formsOf(inherit(target, form), cx));
}

/** The form of a union that the author means: it fits the kind of the value, and has the most of its keys. */
function chosen(node: Node, schema: JsonSchema, cx: Lowering): JsonSchema {
  const forms = formsOf(schema, cx);
  const fitting = forms.filter((form) => fits(node, form));
  const score = (form: JsonSchema): number =>
    node.kind === "map" ? node.entries.filter(({ key }) => Object.hasOwn(form.properties ?? {}, key)).length : 0;
  return fitting.toSorted((a, b) => score(b) - score(a))[0] ?? forms[0] ?? {};
}

function fits(node: Node, { type, enum: words }: JsonSchema): boolean {
  if (node.kind === "scalar" && words !== undefined && !words.includes(node.value)) return false;
  if (type === undefined) return true;
  const actual = node.kind === "map" ? "object" : node.kind === "list" ? "array" : typeOf(node.value);
  return type.includes(actual) || (actual === "number" && type.includes("integer"));
}

/** The context of a scalar: the context of its form, else the context of any text of the union. */
function contextOf(schema: JsonSchema, form: JsonSchema, cx: Lowering): Context | undefined {
  return form.context ?? formsOf(schema, cx).find(({ context }) => context !== undefined)?.context;
}

/**
 * The inner schema with the context of the outer one. The contexts `static` and `start` apply to everything inside a field; any other
 * context applies to one scalar.
 */
function inherit(outer: JsonSchema, inner: JsonSchema): JsonSchema {
  const { context } = outer;
  return (context === "static" || context === "start") && inner.context === undefined ? { ...inner, context } : inner;
}
