import { type Json, typeOf } from "../../value/json.ts";

/** A text as an ECMA-262 pattern that means exactly it. */
export const literalPattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** A pattern that matches the text without regard to case: a class for each letter that has several forms. */
export function caselessPattern(text: string): string {
  return Array.from(text, (character) => {
    if (/[ςσΣ]/.test(character)) return "[ςσΣ]";
    const forms = new Set([character.toLowerCase(), character.toUpperCase()]);
    const both = forms.size === 2 && [...forms].every((form) => form.length === character.length);
    return both ? `[${[...forms].join("")}]` : literalPattern(character);
  }).join("");
}

/** The pattern when it is also valid in ECMA-262, by which JSON Schema is checked; else nothing. */
export function ecmaPattern(pattern: string): { readonly pattern?: string } {
  try {
    new RegExp(pattern, "u");
    return { pattern };
  } catch {
    return {};
  }
}

/** Bounds of the size of texts and lists, for ordering matchers. A bound that is no size is left out. */
export function sizes(
  least: number,
  most: number,
): {
  readonly minLength?: number;
  readonly minItems?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
} {
  const low = Math.ceil(least);
  const high = Math.floor(most);
  return {
    ...(low > 0 && Number.isFinite(low) ? { minLength: low, minItems: low } : {}),
    ...(high >= 0 && Number.isFinite(high) ? { maxLength: high, maxItems: high } : {}),
  };
}

/** The pattern of a number written as text: the `N(x)` of spec/language 6.4. */
export const numberPattern = "^\\s*-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?\\s*$";

/** Exactly this value. */
export const constant = (value: Json): { readonly const: Json; readonly type: string } => ({ type: typeOf(value), const: value });

/** Any value but null. A type says so, too, and is then all that is published. */
export const notNull = { not: { enum: [null] } } as const;
