import { textOrNull } from "../../shapes/filtered.ts";
import { shown } from "../../value/filtering.ts";
import type { Json } from "../../value/json.ts";
import type { Filter } from "../feature.ts";

/** The text as a JSON string. */
export const double_quote = (value: Json): string | null => shown(value, (t) => JSON.stringify(t));

export const spec: Filter = {
  summary: "Text as a JSON string.",
  arity: 0,
  takesText: true,
  text: true,
  run: double_quote,
};

/** The shape of the result, for the compiler alone. */
export const shape = textOrNull;
