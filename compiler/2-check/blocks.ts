import type { JsonSchema } from "#runtime/features/feature.ts";
import { present } from "../present.ts";

/** Each record with a title stands once in the language; other schemas refer to it. */
export function withReferences(schema: JsonSchema, records: Record<string, JsonSchema>): JsonSchema {
  const { title, description, properties, items, anyOf, additionalProperties } = schema;
  const inner = (child: JsonSchema): JsonSchema => withReferences(child, records);
  const own: JsonSchema = {
    ...schema,
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([key, each]) => [key, inner(each)])) }),
    ...(items === undefined ? {} : { items: inner(items) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(inner) }),
    ...(typeof additionalProperties === "object" ? { additionalProperties: inner(additionalProperties) } : {}),
  };
  if (title === undefined || properties === undefined) return own;
  records[title] ??= own;
  return { $ref: `#/$defs/${title}`, ...present({ description }) };
}

/** The title of a record: `ws_publish` gives `WsPublish`. */
export const titleOf = (name: string): string => name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
