import { pointed } from "#runtime/shapes/json-schema.ts";
import { isObject, type Json, type JsonObject, own, put } from "#runtime/value/json.ts";

/** Keywords that a schema of OpenAPI 3.0.3 has and whose value stays as it is. */
const plain: ReadonlySet<string> = new Set([
  ...["title", "description", "format", "default", "multipleOf", "maximum", "minimum", "maxLength", "minLength", "pattern"],
  ...["maxItems", "minItems", "uniqueItems", "maxProperties", "minProperties", "readOnly", "writeOnly", "deprecated", "example"],
]);

/** Keywords that no value has to satisfy. */
const silent: ReadonlySet<string> = new Set(["type", "$schema", "$id", "$defs", "definitions", "$comment"]);

/** How many references are followed one behind another: what refers to itself ends in anything. */
const maxFollowed = 6;
/** How many schemas references may add in all; where they would add more, fewer are followed one behind another. */
const maxAdded = 2_000;

/** JSON Schema 2020-12 as OpenAPI 3.0.3 has it (spec/surfaces 6.1): what it cannot say is left out, so the result accepts no less. */
export function openApiSchema(schema: Json): JsonObject {
  const whole = beyond(schema, schema);
  for (let follows = maxFollowed; follows > 0; follows--) {
    const place: SchemaContext = { root: schema, follows, isAdded: false, added: { count: 0 }, lost: { count: 0 } };
    const result = converted(whole, place);
    if (place.added.count <= maxAdded) return result;
  }
  return converted(whole, { root: schema, follows: 0, isAdded: false, added: { count: 0 }, lost: { count: 0 } });
}

interface SchemaContext {
  /** The document in which `#/…` is looked up. */
  readonly root: Json;
  /** How many references may be followed from here. */
  readonly follows: number;
  /** True behind a reference. */
  readonly isAdded: boolean;
  /** The schemas behind references, counted. */
  readonly added: { count: number };
  /** Everything that could not be said, counted. */
  readonly lost: { count: number };
}

/** The schema that the whole one refers to. */
function beyond(schema: Json, root: Json): Json {
  let at = schema;
  for (let n = 0; n < maxFollowed && isObject(at); n++) {
    const target = own(at, "$ref");
    if (typeof target !== "string") return at;
    at = referred({ root, lost: { count: 0 } }, target);
  }
  return at;
}

function converted(schema: Json, place: SchemaContext): JsonObject {
  if (schema === false) return { not: {} };
  if (!isObject(schema)) return {};
  const { follows, isAdded, added, lost } = place;
  if (isAdded && ++added.count > maxAdded) return unsaid(lost);
  const target = own(schema, "$ref");
  if (typeof target === "string") {
    return follows === 0 ? unsaid(lost) : converted(referred(place, target), { ...place, follows: follows - 1, isAdded: true });
  }
  const out: JsonObject = {};
  typed(schema, out, lost);
  for (const [keyword, value] of Object.entries(schema)) keyworded(schema, keyword, value, out, place);
  if (out.type === "array" && out.items === undefined) out.items = {};
  return out;
}

function unsaid(lost: SchemaContext["lost"]): JsonObject {
  lost.count++;
  return {};
}

/**
 * One type, which may be null besides; several are not said. Without a type null is admitted anyway: `nullable` only adds to one (OpenAPI
 * 3.0.3).
 */
function typed({ type }: JsonObject, out: JsonObject, lost: SchemaContext["lost"]): void {
  const types = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === "string");
  const nonNull = types.filter((one) => one !== "null");
  const [only] = nonNull;
  if (only !== undefined && nonNull.length === 1) {
    out.type = only;
    if (types.length > nonNull.length) out.nullable = true;
  }
  if (types.length > 0 && nonNull.length === 0) out.enum = [null];
  if (nonNull.length > 1) lost.count++;
}

function keyworded(schema: JsonObject, keyword: string, value: Json, out: JsonObject, place: SchemaContext): void {
  switch (keyword) {
    case "const":
      out.enum = [value];
      return;
    case "enum":
      if (Array.isArray(value) && value.length > 0) out.enum = value;
      return;
    case "required":
      if (Array.isArray(value) && value.length > 0) out.required = [...new Set(value)];
      return;
    case "minimum":
    case "exclusiveMinimum":
      bounded(schema, "minimum", "exclusiveMinimum", out);
      return;
    case "maximum":
    case "exclusiveMaximum":
      bounded(schema, "maximum", "exclusiveMaximum", out);
      return;
    case "examples":
      if (Array.isArray(value) && value[0] !== undefined && out.example === undefined) out.example = value[0];
      return;
    case "items":
      if (Array.isArray(schema.prefixItems)) behind(schema.prefixItems.length, schema, out, place);
      else out.items = converted(value, place);
      return;
    case "not":
      refusing(value, out, place);
      return;
    case "additionalProperties":
      if (!hasPatterns(schema)) out.additionalProperties = typeof value === "boolean" ? value : converted(value, place);
      return;
    case "properties":
      if (isObject(value)) out.properties = mapped(value, place);
      return;
    case "allOf":
    case "anyOf":
      if (Array.isArray(value) && value.length > 0) out[keyword] = value.map((one) => converted(one, place));
      return;
    case "oneOf":
      if (Array.isArray(value) && value.length > 0) chosen(value, schema.anyOf === undefined, out, place);
      return;
    default:
      if (keyword === "maxItems" && out.maxItems !== undefined) return;
      if (plain.has(keyword)) out[keyword] = value;
      else if (!silent.has(keyword)) place.lost.count++;
  }
}

/** A bound that does not count itself is a flag beside the bound; a narrower one of the same side wins. */
function bounded(schema: JsonObject, bound: "minimum" | "maximum", keyword: string, out: JsonObject): void {
  const [counted, open] = [schema[bound], schema[keyword]];
  const isOpen = typeof open === "number" && !(typeof counted === "number" && (bound === "minimum" ? counted > open : counted < open));
  const value = isOpen ? open : counted;
  if (value !== undefined) out[bound] = value;
  if (isOpen) out[keyword] = true;
}

/** The first items are not told from those behind them, so that no item is refused. */
function behind(first: number, { items, maxItems }: JsonObject, out: JsonObject, { lost }: SchemaContext): void {
  lost.count++;
  out.items = {};
  if (items === false) out.maxItems = Math.min(first, typeof maxItems === "number" ? maxItems : first);
}

const hasPatterns = ({ patternProperties }: JsonObject): boolean =>
  isObject(patternProperties) && Object.keys(patternProperties).length > 0;

/** Several forms may fit where they were said in part. */
function chosen(forms: readonly Json[], isFree: boolean, out: JsonObject, place: SchemaContext): void {
  const before = place.lost.count;
  const all = forms.map((one) => converted(one, place));
  if (place.lost.count === before) out.oneOf = all;
  else if (isFree) out.anyOf = all;
}

/** A schema that was said in part would refuse too much. */
function refusing(value: Json, out: JsonObject, place: SchemaContext): void {
  const before = place.lost.count;
  const refused = converted(value, place);
  if (place.lost.count === before) out.not = refused;
}

function mapped(schemas: JsonObject, place: SchemaContext): JsonObject {
  const out: JsonObject = {};
  for (const [name, schema] of Object.entries(schemas)) put(out, name, converted(schema, place));
  return out;
}

/** Lets the schema of an object have more members where the example has some. */
export function admitting(schema: JsonObject, example: Json | undefined): JsonObject {
  const { properties, items, additionalProperties } = schema;
  if (Array.isArray(example) && isObject(items)) return { ...schema, items: example.reduce<JsonObject>(admitting, items) };
  if (!isObject(example) || !isObject(properties)) return schema;
  const inner = Object.entries(properties).map(([name, one]) => [name, isObject(one) ? admitting(one, own(example, name)) : one] as const);
  const more = additionalProperties === undefined && Object.keys(example).some((name) => !Object.hasOwn(properties, name));
  const out: JsonObject = { ...schema, properties: Object.fromEntries(inner) };
  return more ? { ...out, additionalProperties: true } : out;
}

/** `#/$defs/User`; anything beyond this schema is unknown. */
function referred({ root, lost }: Pick<SchemaContext, "root" | "lost">, target: string): Json {
  return pointed(root, target) ?? unsaid(lost);
}
