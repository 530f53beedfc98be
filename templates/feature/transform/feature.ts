import { Failure } from "../../value/failure.ts";
import { isObject, type Json, typeOf } from "../../value/json.ts";
import type { Transform } from "../feature.ts";

/** Say what becomes of the data. Then the edges: each object of an array or the array itself, null, other types, the order of keys. */
export function feature_name(data: Json, argument: string): Json {
  if (!isObject(data)) throw new Failure("transform", `expected an object, found ${typeOf(data)}`);
  throw new Failure("transform", `feature_name is not written yet, so ${argument} does nothing`);
}

export const spec: Transform<string> = {
  summary: "",
  schema: { type: "string", description: "" },
  effect: "pure",
  run: feature_name,
};
