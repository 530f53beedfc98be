import type { AuditRule } from "../rule.ts";
import { callers } from "./callers.ts";
import { outside } from "./outside.ts";
import { queries } from "./queries.ts";
import { shown } from "./shown.ts";

/** Found by `check`, and listed here, too: a warning there is easily overlooked among others. */
export const literalSecret: AuditRule = {
  name: "literal-secret",
  severity: "high",
  why: "It stands in version control, and in every module and bundle that is made of the file.",
  remedy: "take it from a managed variable or a secret, and change it",
};

/** Every rule, in the order of the reference. */
export const rules: readonly AuditRule[] = [...callers, ...outside, ...queries, ...shown, literalSecret];
