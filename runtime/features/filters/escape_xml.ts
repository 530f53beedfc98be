import { textOrNull } from "../../shapes/filtered.ts";
import type { Filter } from "../feature.ts";
import { escape_html } from "./escape_html.ts";

export const escape_xml = escape_html;

export const spec: Filter = {
  summary: "Text whose markup is shown and has no effect, for XML.",
  arity: 0,
  takesText: true,
  text: true,
  run: escape_xml,
};

/** The shape of the result, for the compiler alone. */
export const shape = textOrNull;
