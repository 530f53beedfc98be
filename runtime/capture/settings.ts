import type { InterfaceCapture } from "../run/interface.ts";
import { captureSettings } from "../start/capture.ts";
import type { Json } from "../value/json.ts";
import { captureRuns } from "./capture.ts";

/** Makes the recorder of an interface whose `capture` was read at the start; undefined where no runs are recorded. */
export function startCapture(written: Json): InterfaceCapture | undefined {
  const settings = captureSettings(written);
  return settings === undefined ? undefined : captureRuns(settings);
}
