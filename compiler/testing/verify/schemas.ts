import fc from "fast-check";
import { schemaShape } from "#runtime/shapes/json-schema.ts";
import { isObject, type Json, type JsonObject, own, put } from "#runtime/value/json.ts";
import type { Values } from "./values.ts";

/** The levels of a schema that are followed; below them only its shape is used. */
const deepest = 6;

/** Values that fit the common keywords of a JSON Schema, also patterns, bounds and lengths, which shapes do not have. */
export function takenBy(schema: Json, values: Values, depth = 0): fc.Arbitrary<Json> {
  const open = () => values.fitting(schemaShape(schema));
  if (!isObject(schema) || depth > deepest || "enum" in schema || "const" in schema || "$ref" in schema || "allOf" in schema) return open();
  const choices = own(schema, "anyOf") ?? own(schema, "oneOf");
  if (Array.isArray(choices) && choices.length > 0) return fc.oneof(...choices.map((each) => takenBy(each, values, depth + 1)));
  switch (typeOf(schema)) {
    case "string":
      return textOf(schema, values) ?? open();
    case "number":
    case "integer":
      return numberOf(schema) ?? open();
    case "array":
      return elementsOf(schema, values, depth);
    case "object":
      return membersOf(schema, values, depth);
    default:
      return open();
  }
}

function typeOf(schema: JsonObject): string | undefined {
  const type = own(schema, "type");
  if (typeof type === "string") return type;
  return type === undefined && "properties" in schema ? "object" : undefined;
}

const numberIn = (schema: JsonObject, name: string): number | undefined => {
  const value = own(schema, name);
  return typeof value === "number" ? value : undefined;
};

/** The most characters or elements, because texts and lists should be short. */
const longest = 50;

function textOf(schema: JsonObject, values: Values): fc.Arbitrary<string> | undefined {
  const pattern = own(schema, "pattern");
  if (typeof pattern === "string") return matching(pattern);
  switch (own(schema, "format")) {
    case "uuid":
      return fc.uuid();
    case "email":
      return fc.constantFrom("ada@example.com", "a.b+c@d.test");
    case "date-time":
      return fc.constantFrom("2024-02-29T10:00:00Z", "1970-01-01T00:00:00.001Z");
    case "date":
      return fc.constantFrom("2024-02-29", "1970-01-01");
    case "uri":
      return fc.constantFrom("https://a.test/x?y=1");
    default: {
      const least = numberIn(schema, "minLength") ?? 0;
      const most = numberIn(schema, "maxLength") ?? least + longest;
      if (least > most || least > 1000) return undefined;
      const drawn = fc.string({ minLength: least, maxLength: Math.min(most, least + longest) });
      return fc.oneof({ weight: 3, arbitrary: values.text.filter(({ length }) => length >= least && length <= most) }, drawn);
    }
  }
}

/** Texts that match a pattern; undefined for patterns that JavaScript reads differently, or that are too complex. */
function matching(pattern: string): fc.Arbitrary<string> | undefined {
  try {
    return fc.stringMatching(new RegExp(pattern), { maxLength: longest });
  } catch {
    return undefined;
  }
}

/** Numbers at both ends of a range, and between them. */
function numberOf(schema: JsonObject): fc.Arbitrary<number> | undefined {
  const isWhole = own(schema, "type") === "integer";
  const low = numberIn(schema, "minimum") ?? numberIn(schema, "exclusiveMinimum");
  const high = numberIn(schema, "maximum") ?? numberIn(schema, "exclusiveMaximum");
  if (low === undefined && high === undefined && !isWhole) return undefined;
  const [min, max] = [Math.ceil(low ?? (high ?? 0) - 1000), Math.floor(high ?? (low ?? 0) + 1000)];
  return min > max ? undefined : fc.oneof(fc.constantFrom(min, max), fc.integer({ min, max }));
}

function elementsOf(schema: JsonObject, values: Values, depth: number): fc.Arbitrary<Json> {
  const items = own(schema, "items") ?? true;
  const least = Math.min(numberIn(schema, "minItems") ?? 0, longest);
  const most = Math.min(numberIn(schema, "maxItems") ?? least + 3, least + 3);
  return fc.array(takenBy(items, values, depth + 1), { minLength: least, maxLength: Math.max(least, most) });
}

function membersOf(schema: JsonObject, values: Values, depth: number): fc.Arbitrary<Json> {
  const [properties, required] = [own(schema, "properties"), own(schema, "required")];
  if (!isObject(properties)) return values.fitting(schemaShape(schema));
  const members = Object.entries(properties).map(([name, inner]) => {
    const value = takenBy(inner, values, depth + 1);
    const isNeeded = Array.isArray(required) && required.includes(name);
    return (isNeeded ? value : fc.option(value, { nil: undefined })).map((each) => [name, each] as const);
  });
  return fc.tuple(...members).map((all) => {
    const out: JsonObject = {};
    for (const [name, value] of all) if (value !== undefined) put(out, name, value);
    return out;
  });
}
