import type { Schedule } from "../plan/attempts.ts";
import type { JsonObject } from "../value/json.ts";

const numbers = ["max_attempts", "retry_backoff_seconds", "retry_backoff_multiplier", "max_backoff_seconds"] as const;

/** Reads `schedule` of an interface; undefined where it is off. */
export function scheduleSettings(settings: JsonObject): Schedule | undefined {
  const { cron, timezone, enabled } = settings;
  if (enabled !== true || typeof cron !== "string") return undefined;
  const counts = numbers.flatMap((key) => (typeof settings[key] === "number" ? [[key, settings[key]] as const] : []));
  return { cron, ...(typeof timezone === "string" ? { timezone } : {}), ...Object.fromEntries(counts) };
}
