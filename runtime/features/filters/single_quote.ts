import { isNever, never, type Shape, string } from "../../shapes/shape.ts";
import type { Json } from "../../value/json.ts";
import { text } from "../../value/values.ts";
import type { Filter } from "../feature.ts";

/** In single quotes, those inside doubled; null gives two quotes. */
export const single_quote = (value: Json): string => `'${text(value).replaceAll("'", "''")}'`;

export const spec: Filter = {
  summary: "Text in single quotes.",
  arity: 0,
  takesText: true,
  text: true,
  run: single_quote,
};

/** The shape of the result, for the compiler alone. */
export const shape = (value: Shape): Shape => (isNever(value) ? never : string);
