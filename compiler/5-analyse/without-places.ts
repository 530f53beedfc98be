import type { Span } from "#runtime/plan/index.ts";
import { isObject, type Json, type JsonObject } from "#runtime/value/json.ts";

/** A part of the plan as JSON without places in the YAML, because places change when lines above them change. */
export function withoutPlaces(part: Json): Json {
  if (Array.isArray(part)) return part.map(withoutPlaces);
  // A literal is the author's data, whose members may have any names.
  if (!isObject(part) || part.op === "lit") return part;
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(part)) if (key !== "at" || !isSpan(value)) out[key] = withoutPlaces(value);
  return out;
}

export const isSpan = (value: unknown): value is Span =>
  typeof value === "object" && value !== null && "file" in value && "start" in value && "end" in value;
