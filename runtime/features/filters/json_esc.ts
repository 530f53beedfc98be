import { textOrNull } from "../../shapes/filtered.ts";
import type { Filter } from "../feature.ts";
import { json_escape } from "./json_escape.ts";

export const json_esc = json_escape;

export const spec: Filter = {
  summary: "Text escaped for the inside of a JSON string.",
  arity: 0,
  takesText: true,
  text: true,
  run: json_esc,
};

/** The shape of the result, for the compiler alone. */
export const shape = textOrNull;
