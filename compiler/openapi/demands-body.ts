import { bare, schemaCompiler } from "#runtime/languages/schema/compiler.ts";
import { fits } from "#runtime/shapes/fits.ts";
import { schemaShape } from "#runtime/shapes/json-schema.ts";
import { isObject, type Json } from "#runtime/value/json.ts";
import type { AnalysedInterface } from "../5-analyse/analysed.ts";

/**
 * True when a request without a body is refused. Such a body is null, so an enforced schema decides whether null is allowed. Another
 * schema, or tests, refuse it if they require members.
 */
export function demandsBody({ accepts, contract: { input } }: AnalysedInterface): boolean {
  if (accepts !== undefined) return !takesNull(accepts);
  return isObject(input) && (Array.isArray(input.required) || input.type === "array");
}

/** True when a schema accepts null. Its shape is computed quickly, and excludes null only if no keyword could allow it. */
const takesNull = (schema: Json): boolean =>
  fits(null, schemaShape(schema)) && schemaCompiler(schema, { optimize: 0, isChecked: true }).compile(bare(schema))(null);
