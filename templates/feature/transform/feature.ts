import { Failure } from "../../value/failure.ts";
import { isObject, type Json, type JsonObject, put, typeOf } from "../../value/json.ts";
import type { Transform } from "../feature.ts";

/** Sets the member of that name to true. Say what becomes of the data, then the edges: arrays, null, other types, the order of keys. */
export function feature_name(data: Json, argument: string): Json {
  if (!isObject(data)) throw new Failure("transform", `expected an object, found ${typeOf(data)}`);
  const out: JsonObject = { ...data };
  put(out, argument, true);
  return out;
}

export const spec: Transform<string> = {
  summary: "Say in a sentence what it does.",
  schema: { type: "string", description: "Name of the member." },
  effect: "pure",
  run: feature_name,
};
