import type { Planner } from "./planner.ts";
import { checkWait } from "./wait_for_callback.ts";

export const planner: Planner = {
  check: (block, _, cx) => checkWait("delay", block, Number.NEGATIVE_INFINITY, cx),
};
