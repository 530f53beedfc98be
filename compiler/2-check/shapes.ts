import type { JsonSchema, NameKind } from "#runtime/features/feature.ts";
import type { Json } from "#runtime/value/json.ts";
import { present } from "../present.ts";

/** Small builders for the records of the skeleton; each gives plain JSON Schema. */

export type Properties = Readonly<Record<string, JsonSchema>>;
export type Definitions = Readonly<Record<string, JsonSchema>>;

/** A record with fixed keys: `title` is its name in messages and in the types of the configuration. */
export function record(title: string, description: string, properties: Properties, required: readonly string[] = []): JsonSchema {
  return { title, description, type: "object", properties, additionalProperties: false, ...(required.length === 0 ? {} : { required }) };
}

/** A record by its name among the definitions. */
export const ref = (name: string, description: string): JsonSchema => ({ $ref: `#/$defs/${name}`, description });

/** Text that may hold markers; the `fixed…` builders make values that must be known when compiling (spec/language 2.5). */
export const text = (description: string): JsonSchema => ({ type: "string", description });
export const fixedText = (description: string): JsonSchema => ({ type: "string", context: "static", description });

export const flag = (description: string, preset = false): JsonSchema => ({ type: "boolean", default: preset, description });
export const fixedFlag = (description: string, preset = false): JsonSchema => ({ ...flag(description, preset), context: "static" });

export const number = (description: string): JsonSchema => ({ type: "number", description });
export const integer = (description: string, minimum?: number, maximum?: number): JsonSchema => ({
  type: "integer",
  ...present({ minimum, maximum }),
  description,
});
export const fixedInteger = (description: string, minimum?: number, maximum?: number): JsonSchema => ({
  ...integer(description, minimum, maximum),
  context: "static",
});

/** The value that holds where the key is left out. */
export const preset = (schema: JsonSchema, value: Json): JsonSchema => ({ ...schema, default: value });

/** A status that a response will carry. */
export const statusCode = (description: string): JsonSchema => fixedInteger(description, 100, 599);

/** Text by the grammar of spec/language 2.7, or milliseconds. */
export const duration = (description: string, preset?: string): JsonSchema => ({
  type: ["string", "number"],
  format: "duration",
  ...present({ default: preset }),
  description,
});

export const word = (description: string, words: readonly string[], preset?: string): JsonSchema => ({
  type: "string",
  enum: words,
  ...present({ default: preset }),
  description,
});
export const fixedWord = (description: string, words: readonly string[], preset?: string): JsonSchema => ({
  ...word(description, words, preset),
  context: "static",
});

/** Marks a field, and all below it, as read when the process starts: markers of `env`, `var` and `ap_var` may fill it. */
export function started(schema: JsonSchema): JsonSchema {
  const { items, properties, additionalProperties, anyOf } = schema;
  return {
    ...schema,
    ...(schema.$ref === undefined && properties === undefined ? { context: "start" } : {}),
    ...(items === undefined ? {} : { items: started(items) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(started) }),
    ...(properties === undefined ? {} : { properties: startedProperties(properties) }),
    ...(typeof additionalProperties === "object" ? { additionalProperties: started(additionalProperties) } : {}),
  };
}

export const startedProperties = (properties: Properties): Properties =>
  Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, started(schema)]));

/** A jq filter. */
export const filter = (description: string): JsonSchema => ({ type: "string", context: "jq", description });
export const anything = (description: string): JsonSchema => ({ description });
export const list = (description: string, items: JsonSchema): JsonSchema => ({ type: "array", items, description });

/** The name of something that the configuration defines elsewhere. */
export const nameOf = (kind: NameKind, description: string): JsonSchema => ({ ...fixedText(description), names: kind });

/** Names of actions. */
export const names = (description: string): JsonSchema => list(description, { type: "string", context: "static", names: "action" });

/** Marks a text, or the keys of a map, as the names of things of this kind. */
export const defining = (kind: NameKind, schema: JsonSchema): JsonSchema => ({ ...schema, defines: kind });

/** Names chosen by the author, each with a value of the same kind; without `values` anything goes. */
export const map = (description: string, values?: JsonSchema): JsonSchema => ({
  type: "object",
  ...present({ additionalProperties: values }),
  description,
});

/** One of several forms: the first is the usual one, and a value that fits none of the forms is explained by it. */
export const either = (description: string, ...anyOf: readonly JsonSchema[]): JsonSchema => ({ anyOf, description });
