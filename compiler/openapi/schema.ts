import { pointed } from "#runtime/shapes/json-schema.ts";
import { isObject, type Json, type JsonObject, own, put } from "#runtime/value/json.ts";

/** Keywords of OpenAPI 3.0.3 whose values stay unchanged. */
const plain: ReadonlySet<string> = new Set([
  ...["title", "description", "format", "default", "multipleOf", "maximum", "minimum", "maxLength", "minLength", "pattern"],
  ...["maxItems", "minItems", "uniqueItems", "maxProperties", "minProperties", "readOnly", "writeOnly", "deprecated", "example"],
]);

/** Keywords that no value has to satisfy. */
const silent: ReadonlySet<string> = new Set(["type", "$schema", "$id", "$defs", "definitions", "$comment"]);

/** The most references that are followed in a row. A schema that refers to itself ends with a schema for any value. */
const maxFollowed = 6;
/** The most schemas that references may add in all. If they would add more, fewer references are followed in a row. */
const maxAdded = 2_000;

/**
 * Converts JSON Schema 2020-12 to the schema of OpenAPI 3.0.3 (spec/surfaces 6.1). Unknown keywords are left out, so the result accepts at
 * least the same values.
 */
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
  /** The number of references that may still be followed. */
  readonly follows: number;
  /** True behind a reference. */
  readonly isAdded: boolean;
  /** The number of schemas behind references so far. */
  readonly added: { count: number };
  /** The number of parts so far that OpenAPI 3.0.3 cannot express. */
  readonly lost: { count: number };
}

/** The schema behind the references of the whole schema. */
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
 * Writes one type, which may also be null; several types cannot be written. Without a type null is allowed anyway, because `nullable` only
 * has an effect beside a type (OpenAPI 3.0.3).
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

/** Writes an exclusive bound as a flag beside the bound. Of two bounds of one side the narrower wins. */
function bounded(schema: JsonObject, bound: "minimum" | "maximum", keyword: string, out: JsonObject): void {
  const [counted, open] = [schema[bound], schema[keyword]];
  const isOpen = typeof open === "number" && !(typeof counted === "number" && (bound === "minimum" ? counted > open : counted < open));
  const value = isOpen ? open : counted;
  if (value !== undefined) out[bound] = value;
  if (isOpen) out[keyword] = true;
}

/** Writes the items behind `prefixItems`. OpenAPI 3.0.3 cannot tell them from the first items, so that no item is refused. */
function behind(first: number, { items, maxItems }: JsonObject, out: JsonObject, { lost }: SchemaContext): void {
  lost.count++;
  out.items = {};
  if (items === false) out.maxItems = Math.min(first, typeof maxItems === "number" ? maxItems : first);
}

const hasPatterns = ({ patternProperties }: JsonObject): boolean =>
  isObject(patternProperties) && Object.keys(patternProperties).length > 0;

/** Writes `oneOf`. If a part of a form cannot be written, several forms may fit a value, so that `anyOf` takes its place. */
function chosen(forms: readonly Json[], isFree: boolean, out: JsonObject, place: SchemaContext): void {
  const before = place.lost.count;
  const all = forms.map((one) => converted(one, place));
  if (place.lost.count === before) out.oneOf = all;
  else if (isFree) out.anyOf = all;
}

/** Writes `not`. It is left out if a part of its schema cannot be written, because it would then refuse too many values. */
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

/** Allows further members in the schema of an object if the example has some. */
export function admitting(schema: JsonObject, example: Json | undefined): JsonObject {
  const { properties, items, additionalProperties } = schema;
  if (Array.isArray(example) && isObject(items)) return { ...schema, items: example.reduce<JsonObject>(admitting, items) };
  if (!isObject(example) || !isObject(properties)) return schema;
  const inner = Object.entries(properties).map(([name, one]) => [name, isObject(one) ? admitting(one, own(example, name)) : one] as const);
  const more = additionalProperties === undefined && Object.keys(example).some((name) => !Object.hasOwn(properties, name));
  const out: JsonObject = { ...schema, properties: Object.fromEntries(inner) };
  return more ? { ...out, additionalProperties: true } : out;
}

/** The schema of a reference such as `#/$defs/User`. Targets outside this schema are unknown. */
function referred({ root, lost }: Pick<SchemaContext, "root" | "lost">, target: string): Json {
  return pointed(root, target) ?? unsaid(lost);
}
