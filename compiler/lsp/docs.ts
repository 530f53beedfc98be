import type { JsonSchema } from "#runtime/features/feature.ts";
import { expectation, formsOf, wordsOf } from "../2-check/forms.ts";
import { dereference } from "../2-check/schema.ts";
import type { Definitions } from "../2-check/shapes.ts";

/** The documentation of a value: its purpose, its possible values, and its default. */
export function docOf(schema: JsonSchema, definitions: Definitions): string {
  const target = dereference(schema, definitions);
  const words = wordsOf(schema, definitions);
  const preset = schema.default ?? target.default;
  const parts = [
    schema.description ?? target.description ?? "",
    words.length === 0 ? "" : `One of ${words.map((each) => `\`${each}\``).join(", ")}.`,
    preset === undefined ? "" : `Default: \`${JSON.stringify(preset)}\`.`,
    target.context === "static" ? "Takes no markers." : "",
    keysIn(target, definitions),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** The keys of a record, one on each line. */
function keysIn(schema: JsonSchema, definitions: Definitions): string {
  const [record] = formsOf(schema, definitions).filter(({ properties }) => properties !== undefined);
  const entries = Object.entries(record?.properties ?? {}).filter(([, { deprecated }]) => deprecated !== true);
  if (entries.length === 0 || entries.length > mostKeys) return "";
  return entries.map(([key, inner]) => `- \`${key}\`: ${dereference(inner, definitions).description ?? ""}`).join("\n");
}

/** The most keys of a record that are listed. A larger record has a page of its own. */
const mostKeys = 20;

/** The kind of value in a word or two. */
export const kindOf = (schema: JsonSchema, definitions: Definitions): string => {
  const text = expectation(schema, definitions);
  return text.length > 60 ? "" : text;
};
