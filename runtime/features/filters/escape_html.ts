import { textOrNull } from "../../shapes/filtered.ts";
import { shown } from "../../value/filtering.ts";
import type { Json } from "../../value/json.ts";
import { withoutMarkup } from "../../value/markup.ts";
import type { Filter } from "../feature.ts";

/** The text for the inside of an element or of a quoted attribute: none of its characters is markup. */
export const escape_html = (value: Json): string | null => shown(value, withoutMarkup);

export const spec: Filter = {
  summary: "Text whose markup is shown and has no effect, for HTML.",
  arity: 0,
  takesText: true,
  text: true,
  run: escape_html,
};

/** The shape of the result, for the compiler alone. */
export const shape = textOrNull;
