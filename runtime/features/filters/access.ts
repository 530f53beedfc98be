import type { Json } from "../../value/json.ts";
import { at, text } from "../../value/values.ts";
import type { Filter } from "../feature.ts";

/** One key, dots and brackets in it included, or an index. */
export const access = (value: Json, key: Json): Json => at(value, typeof key === "number" ? key : text(key));

export const spec: Filter = {
  summary: "One key or index.",
  arity: 1,
  run: (value, [key = null]) => access(value, key),
};
