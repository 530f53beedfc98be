import { textOrNull } from "../../shapes/filtered.ts";
import { shown } from "../../value/filtering.ts";
import type { Json } from "../../value/json.ts";
import { text } from "../../value/values.ts";
import type { Filter } from "../feature.ts";

export const suffix = (value: Json, after: Json): string | null => shown(value, (t) => `${t}${text(after)}`);

export const spec: Filter = {
  summary: "The value as text, with x after it.",
  arity: 1,
  takesText: true,
  text: true,
  run: (value, [after = null]) => suffix(value, after),
};

/** The shape of the result, for the compiler alone. */
export const shape = textOrNull;
