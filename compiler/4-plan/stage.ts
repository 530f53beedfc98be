import { Failure, Reject } from "#runtime/failure.ts";
import type { Json } from "#runtime/json.ts";
import type { Span } from "#runtime/plan.ts";
import type { Finding, Report } from "../diagnostics/diagnostic.ts";

/** Stage 1 of a feature, where it has one. */
export interface Stages<Ready = unknown> {
  readonly prepare?: (args: never) => Ready;
}

/** Runs stage 1 on static arguments, and gives what it makes of them: what it refuses is a diagnostic at the argument, not a surprise at run time. */
export function checkStage<Ready>(feature: Stages<Ready>, args: Json, at: Span, report: Report): Ready | undefined {
  try {
    // The schema has vouched for the shape of the arguments.
    return feature.prepare?.(args as never);
  } catch (thrown) {
    const refusal = refusalOf(thrown);
    if (refusal === undefined) throw thrown;
    report(refusal, at);
    return undefined;
  }
}

/** Reports what stage 1 refuses in each of some arguments, of which parts are made up: in the words that it has for the first. */
export function checkEachStage(feature: Stages, samples: readonly Json[], at: Span, report: Report): void {
  const refusals = samples.map((args) => {
    try {
      feature.prepare?.(args as never);
      return undefined;
    } catch (thrown) {
      // What is made up may be of a kind that stage 1 never gets.
      return refusalOf(thrown);
    }
  });
  const [first] = refusals;
  if (first !== undefined && !refusals.includes(undefined)) report(first, at);
}

function refusalOf(thrown: unknown): Finding | undefined {
  if (thrown instanceof Reject) return { code: thrown.code, severity: "error", message: thrown.message };
  return thrown instanceof Failure ? { code: "PW512", severity: "error", message: thrown.message } : undefined;
}
