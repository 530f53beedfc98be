import type { CompilerWords, JsonSchema } from "#runtime/features/json-schema.ts";

/** A schema without the words that only the compiler reads. */
export function publicPart(schema: JsonSchema): Omit<JsonSchema, keyof CompilerWords> {
  const { context: _, keys: __, ordered: ___, keepsNull: ____, judge: _____, ...rest } = schema;
  const { whole: ______, keepsKeys: _______, names: ________, defines: _________, ...open } = rest;
  return open;
}
