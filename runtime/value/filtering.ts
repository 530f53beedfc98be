import { Failure } from "./failure.ts";
import { type Json, typeOf } from "./json.ts";
import { text } from "./values.ts";

// Functions that the filters of markers share (spec/language 2.11). An unset marker reads as null, which passes unchanged unless a filter
// says otherwise.

/** Applies a change of text; null stays null. */
export function shown(value: Json, change: (text: string) => string): string | null {
  return value === null ? null : change(text(value));
}

/** Fails a filter on a value of another type. */
export function refuse(filter: string, expected: string, value: Json): never {
  throw new Failure("evaluation", `filter ${filter}: expected ${expected}, got ${typeOf(value)}`);
}
