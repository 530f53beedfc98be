import type { JsonSchema } from "#runtime/features/feature.ts";
import { isObject, type Json } from "#runtime/value/json.ts";
import { recordName, recordOf } from "../../../compiler/2-check/schema.ts";
import type { Definitions } from "../../../compiler/2-check/shapes.ts";

/** The keys of the language that a value uses, as `Record.key`. `name` is the name of the record that `schema` describes, if any. */
export function keysUsed(value: Json, schema: JsonSchema, records: Definitions, name = schema.title ?? ""): readonly string[] {
  const { $ref, anyOf, items, properties, additionalProperties } = schema;
  if ($ref !== undefined) return keysUsed(value, recordOf(recordName($ref), records), records, recordName($ref));
  if (anyOf !== undefined) return anyOf.flatMap((form) => keysUsed(value, form, records));
  if (Array.isArray(value)) return items === undefined ? [] : value.flatMap((item: Json) => keysUsed(item, items, records));
  if (!isObject(value)) return [];
  const known = properties ?? {};
  const keys = Object.keys(value).filter((key) => Object.hasOwn(known, key));
  const inner = Object.entries(value).flatMap(([key, one]) => {
    const child = known[key] ?? (typeof additionalProperties === "object" ? additionalProperties : undefined);
    return child === undefined ? [] : keysUsed(one, child, records);
  });
  return [...keys.map((key) => `${name}.${key}`), ...inner];
}
