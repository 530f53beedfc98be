import { pointed } from "#runtime/shapes/json-schema.ts";
import { isObject, type Json, type JsonObject, own, put } from "#runtime/value/json.ts";

/** Keywords of OpenAPI 3.0.3 whose values stay unchanged. */
const plain: ReadonlySet<string> = new Set([
  ...["title", "description", "format", "default", "multipleOf", "maximum", "minimum", "maxLength", "minLength", "pattern"],
  ...["maxItems", "minItems", "uniqueItems", "maxProperties", "minProperties", "readOnly", "writeOnly", "deprecated", "example"],
]);

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
    const place: SchemaContext = { root: schema, follows, isAdded: false, added: { count: 0 } };
    const result = converted(whole, place);
    if (place.added.count <= maxAdded) return result;
  }
  return converted(whole, { root: schema, follows: 0, isAdded: false, added: { count: 0 } });
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
}

/** The schema behind the references of the whole schema. */
function beyond(schema: Json, root: Json): Json {
  let at = schema;
  for (let n = 0; n < maxFollowed && isObject(at); n++) {
    const target = own(at, "$ref");
    if (typeof target !== "string") return at;
    at = referred(root, target);
  }
  return at;
}

function converted(schema: Json, place: SchemaContext): JsonObject {
  if (schema === false) return { not: {} };
  if (!isObject(schema)) return {};
  const { root, follows, isAdded, added } = place;
  if (isAdded && ++added.count > maxAdded) return {};
  const target = own(schema, "$ref");
  if (typeof target === "string") {
    return follows === 0 ? {} : converted(referred(root, target), { root, follows: follows - 1, isAdded: true, added });
  }
  const out: JsonObject = {};
  typed(schema, out);
  for (const [keyword, value] of Object.entries(schema)) keyworded(keyword, value, out, place);
  if (out.type === "array" && out.items === undefined) out.items = {};
  return out;
}

/**
 * Writes one type, which may also be null; several types cannot be written. Without a type null is allowed anyway, because `nullable` only
 * has an effect beside a type (OpenAPI 3.0.3).
 */
function typed({ type }: JsonObject, out: JsonObject): void {
  const types = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === "string");
  const nonNull = types.filter((one) => one !== "null");
  const [only] = nonNull;
  if (only !== undefined && nonNull.length === 1) {
    out.type = only;
    if (types.length > nonNull.length) out.nullable = true;
  }
  if (types.length > 0 && nonNull.length === 0) out.enum = [null];
}

function keyworded(keyword: string, value: Json, out: JsonObject, place: SchemaContext): void {
  if (plain.has(keyword)) out[keyword] = value;
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
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      bounded(keyword, value, out);
      return;
    case "examples":
      if (Array.isArray(value) && value[0] !== undefined && out.example === undefined) out.example = value[0];
      return;
    case "items":
      out.items = converted(value, place);
      return;
    case "not":
      refusing(value, out, place);
      return;
    case "additionalProperties":
      out.additionalProperties = typeof value === "boolean" ? value : converted(value, place);
      return;
    case "properties":
      if (isObject(value)) out.properties = mapped(value, place);
      return;
    case "allOf":
    case "anyOf":
    case "oneOf":
      if (Array.isArray(value) && value.length > 0) out[keyword] = value.map((one) => converted(one, place));
  }
}

/** Writes an exclusive bound as a flag beside the bound. Of two bounds of one side the narrower wins. */
function bounded(keyword: "exclusiveMinimum" | "exclusiveMaximum", value: Json, out: JsonObject): void {
  const bound = keyword === "exclusiveMinimum" ? "minimum" : "maximum";
  const current = out[bound];
  if (typeof value !== "number") return;
  if (typeof current === "number" && (bound === "minimum" ? current > value : current < value)) return;
  out[bound] = value;
  out[keyword] = true;
}

/** Writes `not`. It is left out if its schema became empty, because it would then refuse every value. */
function refusing(value: Json, out: JsonObject, place: SchemaContext): void {
  const refused = converted(value, place);
  if (Object.keys(refused).length > 0 || isAny(value)) out.not = refused;
}

const isAny = (schema: Json): boolean => schema === true || (isObject(schema) && Object.keys(schema).length === 0);

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
const referred = (root: Json, target: string): Json => pointed(root, target) ?? {};
