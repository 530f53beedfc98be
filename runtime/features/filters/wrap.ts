import { textOrNull } from "../../shapes/filtered.ts";
import { shown } from "../../value/filtering.ts";
import type { Json } from "../../value/json.ts";
import { text } from "../../value/values.ts";
import type { Filter } from "../feature.ts";

export const wrap = (value: Json, around: Json): string | null => shown(value, (t) => `${text(around)}${t}${text(around)}`);

export const spec: Filter = {
  summary: "The value as text, between two copies of x.",
  arity: 1,
  takesText: true,
  text: true,
  run: (value, [around = null]) => wrap(value, around),
};

/** The shape of the result, for the compiler alone. */
export const shape = textOrNull;
