import { textOrNull } from "../../shapes/filtered.ts";
import type { Json } from "../../value/json.ts";
import type { Filter } from "../feature.ts";

/** Elements as JSON with commas between them; anything else is one element. */
export function array_values(value: Json): string | null {
  if (value === null) return null;
  return (Array.isArray(value) ? value : [value]).map(jsonPart).join(", ");
}

/** A number is its own JSON, which JavaScript joins in half the time. */
const jsonPart = (item: Json): string | number => (typeof item === "number" ? item : JSON.stringify(item));

export const spec: Filter = {
  summary: "Elements with commas between them, each as JSON.",
  arity: 0,
  text: true,
  run: array_values,
};

/** The shape of the result, for the compiler alone. */
export const shape = textOrNull;
