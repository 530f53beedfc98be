import type { ToolPlan } from "../../plan/tools.ts";
import { type Json, type JsonObject, put } from "../../value/json.ts";

/** Members other than lists and objects, as texts like all parameters. */
export function paramsIn(args: JsonObject): JsonObject {
  const params: JsonObject = {};
  for (const [name, value] of Object.entries(args)) if (isScalar(value)) put(params, name, String(value));
  return params;
}

/** The arguments that form the body. */
export function bodyIn(args: JsonObject, { beside = [] }: Pick<ToolPlan, "beside">): JsonObject {
  return beside.length === 0 ? args : Object.fromEntries(Object.entries(args).filter(([name]) => !beside.includes(name)));
}

const isScalar = (value: Json): boolean => value !== null && typeof value !== "object";
