import { usualDelayCap } from "#runtime/value/duration.ts";
import type { Assessor } from "./assessor.ts";

/** A run does not stay in its process for a delay that is longer than the usual bound. */
export const assessor: Assessor = (wait) => ({
  leaves: wait.op === "lit" && typeof wait.value === "number" && wait.value > usualDelayCap,
});
