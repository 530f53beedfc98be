import { asList, isObject, type Json, type JsonObject } from "#runtime/value/json.ts";
import { isJsonNumber, text } from "#runtime/value/values.ts";
import { openApiSchema } from "./schema.ts";

// This file makes schemas of parameters. A parameter is always sent as text, but a text that is read as a number gets the schema of a
// number.

/** The schema of a parameter, with values that a text can have. Without a type a parameter is a text. */
export function parameterSchema(schema: Json): JsonObject {
  return written(openApiSchema(schema), undefined);
}

/** Keywords that apply to a text, or to any value. */
const ofText: ReadonlySet<string> = new Set([
  ...["type", "title", "description", "format", "default", "example", "deprecated", "pattern", "minLength", "maxLength"],
  ...["enum", "not", "allOf", "anyOf", "oneOf"],
]);

function written(schema: JsonObject, around: Json | undefined): JsonObject {
  const type = schema.type ?? around ?? (isOfText(schema) ? "string" : undefined);
  const isRoot = around === undefined && type !== undefined;
  const out: JsonObject = isRoot ? { type } : {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (type === "string" && !ofText.has(keyword)) continue;
    const own = keyworded(keyword, value, type);
    if (own !== undefined) out[keyword] = own;
  }
  return out;
}

/** The value of a keyword for a parameter; undefined if it has no meaning there. */
function keyworded(keyword: string, value: Json, type: Json | undefined): Json | undefined {
  switch (keyword) {
    case "enum": {
      const values = Array.isArray(value) ? value.flatMap((one) => read(one, type) ?? []) : [];
      return values.length === 0 ? undefined : [...new Set(values)];
    }
    case "not": {
      const refused = isObject(value) ? written(value, type) : {};
      const saysNothing = Object.keys(refused).length === 0 && isObject(value) && Object.keys(value).length > 0;
      return saysNothing ? undefined : refused;
    }
    case "allOf":
    case "anyOf":
    case "oneOf":
      return Array.isArray(value) ? value.map((one) => (isObject(one) ? written(one, type) : one)) : value;
    default:
      return value;
  }
}

/** A value of an enumeration in the type; undefined if no text can be read as this value. */
function read(value: Json, type: Json | undefined): Json | undefined {
  switch (type) {
    case "string":
      return value === null || typeof value === "object" ? undefined : text(value);
    case "number":
    case "integer":
      if (typeof value === "string") return isJsonNumber(value) ? Number(value) : undefined;
      return typeof value === "number" ? value : undefined;
    case "boolean":
      return value === true || value === "true" ? true : value === false || value === "false" ? false : undefined;
    case "array":
    case "object":
      return undefined;
    default:
      return value;
  }
}

/** True when no part is of another type. */
function isOfText({ type, allOf, anyOf, oneOf }: JsonObject): boolean {
  const parts = [allOf, anyOf, oneOf].flatMap(asList);
  return (type === undefined || type === "string") && parts.every((part) => isObject(part) && isOfText(part));
}
