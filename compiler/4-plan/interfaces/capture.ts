import type { CapturePlan } from "#runtime/plan/index.ts";
import { captureSettings } from "#runtime/start/capture.ts";
import { type Node, plain } from "../../1-read/document.ts";
import { isStarted } from "../../2-check/started.ts";

/** `capture` of an interface; undefined when no run is recorded, and when markers decide it as the process starts. */
export const planCapture = (node: Node | undefined): CapturePlan | undefined =>
  node === undefined || isStarted(node) ? undefined : captureSettings(plain(node));
