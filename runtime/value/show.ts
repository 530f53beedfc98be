import type { Json } from "./json.ts";

const most = 200;

/** A value in an error text: null is `null`, anything longer than 200 characters is cut and ends in `...` (spec/language 6.3). */
export function show(value: Json): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text.length <= most) return text;
  // Twice the length in UTF-16 units always holds enough whole characters.
  const characters = Array.from(text.slice(0, 2 * most + 2));
  return characters.length > most ? `${characters.slice(0, most).join("")}...` : text;
}

/** The detail of a failed matcher that names its operand; where that is a secret, each place of it has `***` (spec/language 6.3). */
export type Detail = (isSecret?: boolean) => string;
