import type { AuditRule } from "../rule.ts";
import { callers } from "./callers.ts";
import { outside } from "./outside.ts";
import { queries } from "./queries.ts";
import { shown } from "./shown.ts";

/** A rule for a warning of `check`, which is listed here, too, because it is easily overlooked among other warnings. */
export const literalSecret: AuditRule = {
  name: "literal-secret",
  severity: "high",
  why: "It stands in version control, and in every module and bundle that is made of the file.",
  remedy: "take it from a managed variable or a secret, and change it",
};

/** Every rule, in the order of the reference. */
export const rules: readonly AuditRule[] = [...callers, ...outside, ...queries, ...shown, literalSecret];
