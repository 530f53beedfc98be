import { Failure } from "../failure.ts";
import type { Transform } from "../feature.ts";
import { isObject, type Json, type JsonObject, own, put, typeOf } from "../json.ts";

/** Old names and new ones. Null, from an unset marker, renames nothing. */
type Names = Readonly<Record<string, Json>>;

/**
 * Renames root members, or those of each object of an array; other elements stay. All at one go, so that two names may be swapped; members
 * keep their place. A renamed member replaces one that has the new name already. A missing member is ignored. Names are literal: dots are
 * part of them.
 */
export function rename_keys(data: Json, names: Names): Json {
  if (Array.isArray(data)) return data.map((item) => (isObject(item) ? renamed(item, names) : item));
  if (!isObject(data)) throw new Failure("transform", `expected an object or array, found ${typeOf(data)}`);
  return renamed(data, names);
}

function renamed(row: JsonObject, names: Names): JsonObject {
  const replaced = new Set(Object.keys(row).map((key) => own(names, key)));
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(row)) {
    const name = own(names, key);
    if (typeof name === "string") put(out, name, value);
    else if (!replaced.has(key)) put(out, key, value);
  }
  return out;
}

export const spec: Transform<Names> = {
  summary: "Rename members at the root, or in every object of a list.",
  schema: {
    type: "object",
    additionalProperties: { type: "string", description: "The new name." },
    description: "Old name to new name. Names are literal, not paths.",
  },
  effect: "pure",
  run: rename_keys,
};
