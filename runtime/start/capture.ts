import type { CapturePlan } from "../plan/attempts.ts";
import { isObject, type Json } from "../value/json.ts";

/** Reads `capture` of an interface, a word or a record (spec/language 7.8); undefined where no runs are recorded. */
export function captureSettings(node: Json): CapturePlan | undefined {
  const { mode, for_minutes, for_runs } = isObject(node) ? node : { mode: node };
  if (mode !== "errors" && mode !== "all") return undefined;
  return {
    mode,
    ...(typeof for_minutes === "number" ? { for_minutes } : {}),
    ...(typeof for_runs === "number" ? { for_runs } : {}),
  };
}
