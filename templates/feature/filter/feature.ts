import { textOrNull } from "../../shapes/filtered.ts";
import { shown } from "../../value/filtering.ts";
import type { Json } from "../../value/json.ts";
import type { Filter } from "../feature.ts";

/** The text without blanks around it. Say the edges: other types, and null, which an unset marker reads as. */
export const feature_name = (value: Json): string | null => shown(value, (text) => text.trim());

export const spec: Filter = {
  summary: "Say in a sentence what it gives.",
  arity: 0,
  text: true,
  run: feature_name,
};

/** The shape of the result, for the compiler alone. */
export const shape = textOrNull;
