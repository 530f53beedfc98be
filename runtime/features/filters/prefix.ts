import { textOrNull } from "../../shapes/filtered.ts";
import { shown } from "../../value/filtering.ts";
import type { Json } from "../../value/json.ts";
import { text } from "../../value/values.ts";
import type { Filter } from "../feature.ts";

export const prefix = (value: Json, before: Json): string | null => shown(value, (t) => `${text(before)}${t}`);

export const spec: Filter = {
  summary: "The value as text, with x before it.",
  arity: 1,
  takesText: true,
  text: true,
  run: (value, [before = null]) => prefix(value, before),
};

/** The shape of the result, for the compiler alone. */
export const shape = textOrNull;
