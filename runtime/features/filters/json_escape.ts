import { textOrNull } from "../../shapes/filtered.ts";
import { shown } from "../../value/filtering.ts";
import type { Json } from "../../value/json.ts";
import type { Filter } from "../feature.ts";

/** The text escaped for the inside of a JSON string. */
export const json_escape = (value: Json): string | null => shown(value, (t) => JSON.stringify(t).slice(1, -1));

export const spec: Filter = {
  summary: "Text escaped for the inside of a JSON string.",
  arity: 0,
  takesText: true,
  text: true,
  run: json_escape,
};

/** The shape of the result, for the compiler alone. */
export const shape = textOrNull;
