import type { Context, JsonSchema } from "#runtime/features/feature.ts";
import { isObject, type Json, type JsonObject, own } from "#runtime/value/json.ts";

/** Arguments with markers, and the values that the markers read by index. */
export interface Marked {
  readonly value: Json;
  readonly leaves: readonly Json[];
}

/** The scalars that become markers: those that are markers by nature, or every one that can be. */
export type Extent = "needed" | "all";

/**
 * Replaces scalars by markers that read the same values from the list at `source`; null becomes an unset marker. A field stays literal
 * where a marker is forbidden or has another meaning than the literal text. Arguments in a `source` have the form `{value}` when they came
 * from a marker (spec/transforms 2.3), so that these always become markers again.
 */
export function marked(args: Json, schema: JsonSchema, source: string, extent: Extent): Marked {
  const leaves: Json[] = [];
  const marker = (value: Json): string => `a|${source}[${leaves.push(value) - 1}]|`;
  const replaced = (value: Json, here: JsonSchema): Json => {
    if (has(here, "source")) return isObject(value) && "value" in value ? marker(value.value ?? null) : literal(value);
    if (has(here, "replacement"))
      return Array.isArray(value) ? value.map((piece) => inReplacement(piece, marker)).join("") : literal(value);
    if (has(here, "expression")) return isObject(value) ? withMarkers(value, marker, /\$(\d+)/g) : literal(value);
    if (has(here, "jq")) return isObject(value) ? withMarkers(value, marker, /\$__(\d+)/g) : literal(value);
    if (has(here, "static")) return literal(value);
    if (Array.isArray(value)) return value.map((item, i) => replaced(item, below(here, String(i))));
    if (isObject(value)) return mapped(value, (item, key) => replaced(item, below(here, key)));
    if (extent === "needed" || isFixed(value, here)) return literal(value);
    // For null inside the operand of a matcher the marker needs null as its default, since an unset one is not compared
    // (spec/language 6.3).
    return value === null && Object.keys(here).length === 0 ? marker(value).replace(/\|$/, "->default(null)|") : marker(value);
  };
  return { value: replaced(args, schema), leaves };
}

/** Writes an expression or a jq filter of a transform, given as `{text, values}`, as YAML has it. */
function withMarkers({ text = null, values = null }: JsonObject, marker: (value: Json) => string, name: RegExp): string {
  const list = Array.isArray(values) ? values : [];
  return String(text).replace(name, (_, index) => marker(list[Number(index)] ?? null));
}

/** A written text of a replacement, or the value of a marker between them. */
const inReplacement = (piece: Json, marker: (value: Json) => string): string =>
  isObject(piece) ? marker(piece.value ?? null) : String(literal(piece));

/** An expression as it is written, with markers where its text names the values: `$0` is the first of them. */
export function markedExpression(text: string, values: readonly Json[], source: string): Marked {
  return { value: text.replace(/\$(\d+)/g, `a|${source}[$1]|`), leaves: [...values] };
}

/** A path is `$` syntax only where it is written (spec/transforms 2.1); an absent list or map has no scalar that could become a marker. */
function isFixed(value: Json, schema: JsonSchema): boolean {
  if (value === null && (schema.type === "array" || schema.type === "object")) return true;
  if (has(schema, "static")) return true;
  return has(schema, "path") && typeof value === "string" && value.startsWith("$");
}

const has = (schema: JsonSchema, context: Context): boolean => [schema, ...(schema.anyOf ?? [])].some((form) => form.context === context);

/** The schema of a member or element. */
function below(schema: JsonSchema, key: string): JsonSchema {
  for (const form of [schema, ...(schema.anyOf ?? [])]) {
    const rest = typeof form.additionalProperties === "object" ? form.additionalProperties : undefined;
    const found = own(form.properties ?? {}, key) ?? rest ?? form.items;
    if (found !== undefined) return found;
  }
  return {};
}

/** Escapes a text that would be read as a marker. */
function literal(value: Json): Json {
  if (typeof value === "string") return value.replace(/(?<![A-Za-z0-9_])a\|(?=[A-Za-z_])/g, "\\a|");
  if (Array.isArray(value)) return value.map(literal);
  return isObject(value) ? mapped(value, literal) : value;
}

/** Maps the members of an object, and keeps a key `__proto__`. */
const mapped = (object: JsonObject, change: (item: Json, key: string) => Json): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, item]) => [key, change(item, key)]));
