import { pointed } from "#runtime/shapes/json-schema.ts";
import { isObject, type Json, type JsonObject, own, put } from "#runtime/value/json.ts";

/** Keywords that a schema of OpenAPI 3.0.3 has and whose value stays as it is. */
const plain: ReadonlySet<string> = new Set([
  ...["title", "description", "format", "default", "multipleOf", "maximum", "minimum", "maxLength", "minLength", "pattern"],
  ...["maxItems", "minItems", "uniqueItems", "maxProperties", "minProperties", "readOnly", "writeOnly", "deprecated", "example"],
]);

/** How many references are followed one behind another: what refers to itself ends in anything. */
const maxFollowed = 6;
/** How many schemas references may add in all; where they would add more, fewer are followed one behind another. */
const maxAdded = 2_000;

/** JSON Schema 2020-12 as OpenAPI 3.0.3 has it (spec/surfaces 6.1): what it cannot say is left out, so the result accepts no less. */
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
  /** How many references may be followed from here. */
  readonly follows: number;
  /** True behind a reference. */
  readonly isAdded: boolean;
  /** The schemas behind references, counted. */
  readonly added: { count: number };
}

/** The schema that the whole one refers to. */
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
 * One type, which may be null besides; several are not said. Without a type null is admitted anyway: `nullable` only adds to one (OpenAPI
 * 3.0.3).
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

/** A bound that does not count itself is a flag beside the bound; a narrower one of the same side wins. */
function bounded(keyword: "exclusiveMinimum" | "exclusiveMaximum", value: Json, out: JsonObject): void {
  const bound = keyword === "exclusiveMinimum" ? "minimum" : "maximum";
  const current = out[bound];
  if (typeof value !== "number") return;
  if (typeof current === "number" && (bound === "minimum" ? current > value : current < value)) return;
  out[bound] = value;
  out[keyword] = true;
}

/** A schema of which nothing can be said would be one that refuses everything. */
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
const referred = (root: Json, target: string): Json => pointed(root, target) ?? {};
