import { sources as codes } from "../../diagnostics/codes/actions.ts";
import type { Planner } from "./planner.ts";

/** Checks that there is exactly one operation (PW405). */
export const planner: Planner = {
  check(block, { at }, cx) {
    if (block.kind === "map" && block.entries.length !== 1) cx.report(codes.stateOperation(), at);
  },
};
