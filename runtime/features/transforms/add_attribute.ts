import { distinct } from "../../paths/member-edit.ts";
import { merged, rows } from "../../shapes/edit.ts";
import { any, byType, type Shape } from "../../shapes/shape.ts";
import { Failure } from "../../value/failure.ts";
import { isObject, type Json, type JsonObject, typeOf } from "../../value/json.ts";
import type { MemberEdit, ShapedArguments, Transform } from "../feature.ts";

/**
 * Adds members to the data, or to each object of an array; other elements stay. Keys are literal: dots are part of the name. An existing
 * member keeps its place and gets the new value; values keep their type. Null data becomes the members; another scalar fails.
 */
export function add_attribute(data: Json, members: JsonObject): Json {
  if (data === null) return { ...members };
  if (Array.isArray(data)) return data.map((item) => (isObject(item) ? { ...item, ...members } : item));
  if (!isObject(data)) throw new Failure("transform", `expected an object or array, found ${typeOf(data)}`);
  return { ...data, ...members };
}

function edit(members: JsonObject): MemberEdit | undefined {
  const names = distinct(Object.keys(members));
  return names && { set: [...names] };
}

function shape(data: Shape, { shape: args }: ShapedArguments<JsonObject>): Shape {
  return byType(args, (members) => {
    if (members.type !== "object") return any;
    return byType(data, (one) => (one.type === "null" ? members : rows(one, (row) => merged(row, members))));
  });
}

export const spec: Transform<JsonObject> = {
  summary: "Add members to the data, or to every object of a list.",
  schema: { type: "object", additionalProperties: true, description: "Names of the members and their values, of any type." },
  effect: "pure",
  run: add_attribute,
  shape,
  edit,
};
