import { isNever, never, type Shape, string } from "../../shapes/shape.ts";
import type { Filter } from "../feature.ts";
import { json_stringify } from "./json_stringify.ts";

export const tojson = json_stringify;

export const spec: Filter = {
  summary: "JSON text of an object or array; JSON string of anything else.",
  arity: 0,
  text: true,
  run: tojson,
};

/** The shape of the result, for the compiler alone. */
export const shape = (value: Shape): Shape => (isNever(value) ? never : string);
