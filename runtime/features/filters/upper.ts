import { textOrNull } from "../../shapes/filtered.ts";
import { shown } from "../../value/filtering.ts";
import type { Json } from "../../value/json.ts";
import type { Filter } from "../feature.ts";

export const upper = (value: Json): string | null => shown(value, (t) => t.toUpperCase());

export const spec: Filter = {
  summary: "Upper case.",
  arity: 0,
  takesText: true,
  run: upper,
};

/** The shape of the result, for the compiler alone. */
export const shape = textOrNull;
