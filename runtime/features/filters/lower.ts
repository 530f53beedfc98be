import { textOrNull } from "../../shapes/filtered.ts";
import { shown } from "../../value/filtering.ts";
import type { Json } from "../../value/json.ts";
import type { Filter } from "../feature.ts";

export const lower = (value: Json): string | null => shown(value, (t) => t.toLowerCase());

export const spec: Filter = {
  summary: "Lower case.",
  arity: 0,
  takesText: true,
  run: lower,
};

/** The shape of the result, for the compiler alone. */
export const shape = textOrNull;
