import { Failure, Reject } from "#runtime/failure.ts";
import type { Json } from "#runtime/json.ts";
import type { Span } from "#runtime/plan.ts";
import type { Report } from "../diagnostics/diagnostic.ts";

/** Stage 1 of a feature, where it has one. */
export interface Stages<Ready = unknown> {
  readonly prepare?: (args: never) => Ready;
}

/** Runs stage 1 on static arguments, and gives what it makes of them: what it refuses is a diagnostic at the argument, not a surprise at run time. */
export function checkStage<Ready>(feature: Stages<Ready>, args: Json, at: Span, report: Report): Ready | undefined {
  if (feature.prepare === undefined) return undefined;
  try {
    // The schema has vouched for the shape of the arguments.
    return feature.prepare(args as never);
  } catch (thrown) {
    if (thrown instanceof Reject) report({ code: thrown.code, severity: "error", message: thrown.message }, at);
    else if (thrown instanceof Failure) report({ code: "PW512", severity: "error", message: thrown.message }, at);
    else throw thrown;
    return undefined;
  }
}
