import { entry } from "../../1-read/document.ts";
import { shape } from "../../diagnostics/codes/file.ts";
import type { Planner } from "./planner.ts";

/** The fields that a mail cannot do without may also come from its rows. */
export const planner: Planner = {
  check(block, _, cx) {
    const has = (key: string): boolean => entry(block, key) !== undefined;
    const keys = has("rows") ? [] : ["from", ...(has("cc") || has("bcc") ? [] : ["to"])];
    for (const key of keys) if (!has(key)) cx.report(shape.missingKey(key, "Email"), block.span);
  },
};
