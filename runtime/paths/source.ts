import { Failure } from "../value/failure.ts";
import { type Json, typeOf } from "../value/json.ts";
import { type ValuePath, valueAt, valuePath } from "./path.ts";

/**
 * A field that names a value (spec/transforms 2.3). Plain text in the configuration is a path. A marker gives the value itself, which is
 * wrapped, so that text from outside that looks like a path is never used as one.
 */
export type SourceArgument = string | { readonly value: Json };

/** A parsed source. */
export type Source = { readonly path: ValuePath } | { readonly value: Json };

/** Stage 1 of a source. */
export function source(argument: SourceArgument): Source {
  return typeof argument === "string" ? { path: valuePath(argument) } : argument;
}

/** ` at "P"` for error texts; nothing for a value that came by marker. The default root is `"$"`. */
export const place = (from: Source): string => ("path" in from ? ` at "${from.path.text || "$"}"` : "");

/** True when the source is the whole data, so that a result may take its place (spec/transforms 2.4). */
export const isRoot = (from: Source): boolean => "path" in from && from.path.steps.length === 0;

/** The text of a source; anything else fails. The message never holds the value. */
export function sourceText(data: Json, from: Source): string {
  const value = "path" in from ? valueAt(data, from.path) : from.value;
  if (typeof value === "string") return value;
  throw new Failure("transform", `expected a string${place(from)}, found ${typeOf(value)}`);
}
