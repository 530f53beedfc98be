import type { Span } from "#runtime/plan/index.ts";
import { Failure, Reject } from "#runtime/value/failure.ts";
import type { Json } from "#runtime/value/json.ts";
import { transforms } from "../diagnostics/codes/transforms.ts";
import type { Finding, Report } from "../diagnostics/diagnostic.ts";

/** Stage 1 of a feature, where it has one. */
export interface Stages<Ready = unknown> {
  readonly prepare?: (args: never) => Ready;
}

/**
 * Runs stage 1 on static arguments, and gives what it makes of them: what it refuses is a diagnostic at the argument, not a surprise at run
 * time.
 */
export function checkStage<Ready>(feature: Stages<Ready>, args: Json, at: Span, report: Report): Ready | undefined {
  try {
    // The schema has vouched for the shape of the arguments.
    return feature.prepare?.(args as never);
  } catch (thrown) {
    report(findingOf(thrown), at);
    return undefined;
  }
}

/** The finding with which stage 1 refuses static arguments. */
export function refusal({ prepare }: Stages, args: Json): Finding | undefined {
  try {
    prepare?.(args as never);
    return undefined;
  } catch (thrown) {
    return findingOf(thrown);
  }
}

/** Diagnostics that say more than stage 1 does. */
const hinted = [transforms.pluralPath];

/** Anything but a refusal is our bug and goes on up. */
function findingOf(thrown: unknown): Finding {
  if (thrown instanceof Reject) {
    const { code, message } = thrown;
    return hinted.find((one) => one.code === code)?.(message) ?? { code, severity: "error", message };
  }
  if (thrown instanceof Failure) return { code: "PW512", severity: "error", message: thrown.message };
  throw thrown;
}
