import { distinct } from "../../paths/member-edit.ts";
import { placesOfNames, whenKnown } from "../../shapes/arguments.ts";
import { rows, withoutMembers } from "../../shapes/edit.ts";
import { Failure } from "../../value/failure.ts";
import { isObject, type Json, type JsonObject, put, typeOf } from "../../value/json.ts";
import type { MemberEdit, Transform } from "../feature.ts";

/**
 * Removes root members, or those of each object of an array; other elements stay, and so do nested members of that name. A missing member
 * is ignored. Names are literal: dots are part of them. Null, from an unset marker, names nothing.
 */
export function remove_keys(data: Json, names: readonly (string | null)[]): Json {
  const removed = new Set(names);
  if (Array.isArray(data)) return data.map((item) => (isObject(item) ? without(item, removed) : item));
  if (!isObject(data)) throw new Failure("transform", `expected an object or array, found ${typeOf(data)}`);
  return without(data, removed);
}

function without(row: JsonObject, names: ReadonlySet<string | null>): JsonObject {
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(row)) if (!names.has(key)) put(out, key, value);
  return out;
}

function edit(names: readonly (string | null)[]): MemberEdit | undefined {
  const remove = distinct(names);
  return remove && { remove };
}

const namesOf = (names: readonly (string | null)[]): readonly string[] => names.filter((name) => name !== null);

export const spec: Transform<readonly (string | null)[]> = {
  summary: "Remove members at the root, or in every object of a list.",
  schema: { type: "array", items: { type: "string", context: "name" }, description: "Names of the members. Names are literal, not paths." },
  effect: "pure",
  run: remove_keys,
  shape: (data, args) => whenKnown(args, namesOf, (names) => rows(data, (row) => withoutMembers(row, names))),
  expects: placesOfNames,
  edit,
};
