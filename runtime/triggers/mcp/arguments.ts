import { type Json, type JsonObject, put } from "../../value/json.ts";

/** Members that are no lists and no objects, as texts like all parameters. */
export function paramsIn(args: JsonObject): JsonObject {
  const params: JsonObject = {};
  for (const [name, value] of Object.entries(args)) if (isScalar(value)) put(params, name, String(value));
  return params;
}

const isScalar = (value: Json): boolean => value !== null && typeof value !== "object";
