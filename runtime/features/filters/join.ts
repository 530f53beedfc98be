import { textOrNull } from "../../shapes/filtered.ts";
import { Failure } from "../../value/failure.ts";
import { shown } from "../../value/filtering.ts";
import type { Json } from "../../value/json.ts";
import { text } from "../../value/values.ts";
import type { Filter } from "../feature.ts";

/** Texts of the elements with the separator between them; anything else as text. */
export function join(value: Json, separator: Json): string | null {
  // JavaScript joins a value that is no object as `text` writes it, in half the time.
  return Array.isArray(value) ? value.map(partText).join(bounded(value, text(separator))) : shown(value, (t) => t);
}

/** Characters of all separators: a list of a million elements and one long text would become gigabytes. */
const longest = 67_108_864;

function bounded({ length }: readonly Json[], separator: string): string {
  if (length * separator.length > longest)
    throw new Failure("evaluation", `filter join: output is over the limit of ${longest} characters`);
  return separator;
}

const partText = (item: Json): string | number | boolean | null =>
  typeof item === "object" && item !== null ? JSON.stringify(item) : item;

export const spec: Filter = {
  summary: "Elements as text with a separator.",
  arity: 1,
  text: true,
  run: (value, [between = null]) => join(value, between),
};

/** The shape of the result, for the compiler alone. */
export const shape = textOrNull;
