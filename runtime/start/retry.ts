import type { RetryPlan } from "../plan/attempts.ts";
import { duration } from "../value/duration.ts";
import type { Json, JsonObject } from "../value/json.ts";

/** Reads `retry` of an action (spec/language 3.6): durations in milliseconds, matchers as a list. */
export function retrySettings(settings: JsonObject): RetryPlan {
  const fields = Object.entries(settings).flatMap(([key, value]) => (value === null ? [] : [[key, converted(key, value)] as const]));
  return Object.fromEntries(fields) as unknown as RetryPlan; // the schema has these fields
}

function converted(key: string, value: Json): Json {
  if (key === "delay" || key === "max_delay") return typeof value === "string" ? (duration(value) ?? value) : value;
  if (key === "on" || key === "except") return (Array.isArray(value) ? value : [value]).flatMap(matcher);
  return value;
}

/** A status becomes a number, even when it is written as text; an unset item is left out. */
const matcher = (value: Json): Json[] =>
  value === null ? [] : [typeof value === "string" && /^[1-5]\d\d$/.test(value) ? Number(value) : value];
