import { isObject, type Json } from "../json.ts";
import type { CapturePlan } from "../plan-attempts.ts";
import { captureRuns } from "./capture.ts";
import type { Capture } from "./recording.ts";

/** `capture` of an interface as it is written, a word or a record (language.md 7.8); undefined where nothing is recorded. */
export function captureSettings(written: Json): CapturePlan | undefined {
  const { mode, for_minutes, for_runs } = isObject(written) ? written : { mode: written };
  if (mode !== "errors" && mode !== "all") return undefined;
  return {
    mode,
    ...(typeof for_minutes === "number" ? { for_minutes } : {}),
    ...(typeof for_runs === "number" ? { for_runs } : {}),
  };
}

/** What records the runs, where some are recorded. */
export function startCapture(written: Json): Capture | undefined {
  const settings = captureSettings(written);
  return settings === undefined ? undefined : captureRuns(settings);
}
