import type { InterfaceCapture } from "../run/interface.ts";
import { captureSettings } from "../start/capture.ts";
import type { Json } from "../value/json.ts";
import { captureRuns } from "./capture.ts";

/** Makes the recorder of an interface whose `capture` was read at the start; undefined where no runs are recorded. */
export function startCapture(node: Json): InterfaceCapture | undefined {
  const settings = captureSettings(node);
  return settings === undefined ? undefined : captureRuns(settings);
}
