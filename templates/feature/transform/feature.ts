import { onlyValue } from "../../shapes/arguments.ts";
import { objectsOf, withMember } from "../../shapes/edit.ts";
import { anyObject, byType, oneOf, type Shape } from "../../shapes/shape.ts";
import { Failure } from "../../value/failure.ts";
import { isObject, type Json, type JsonObject, put, typeOf } from "../../value/json.ts";
import type { ShapedArguments, Transform } from "../feature.ts";

/** Sets the member of that name to true. Say what becomes of the data, then the edges: arrays, null, other types, the order of keys. */
export function feature_name(data: Json, argument: string): Json {
  if (!isObject(data)) throw new Failure("transform", `expected an object, found ${typeOf(data)}`);
  const out: JsonObject = { ...data };
  put(out, argument, true);
  return out;
}

/** The shape of the result for data of a shape. A name with a marker in it is not known. */
function shape(data: Shape, { shape: argument }: ShapedArguments<string>): Shape {
  const name = onlyValue(argument);
  return byType(objectsOf(data), (one) =>
    one.type === "object" && typeof name === "string" ? withMember(one, name, { shape: oneOf("boolean", [true]) }) : anyObject,
  );
}

export const spec: Transform<string> = {
  summary: "Say in a sentence what it does.",
  schema: { type: "string", description: "Name of the member." },
  effect: "pure",
  run: feature_name,
  shape,
};
