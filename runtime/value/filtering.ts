import { Failure } from "./failure.ts";
import { type Json, typeOf } from "./json.ts";
import { text } from "./values.ts";

// The filters of markers share this (spec/language 2.11). Null is what an unset marker reads as; it passes unchanged where nothing else is
// said.

/** Applies a change of text; null stays null. */
export function shown(value: Json, change: (text: string) => string): string | null {
  return value === null ? null : change(text(value));
}

/** Fails a filter on a value of another type. */
export function refuse(filter: string, expected: string, value: Json): never {
  throw new Failure("evaluation", `filter ${filter}: expected ${expected}, got ${typeOf(value)}`);
}
