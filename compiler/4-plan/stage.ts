import type { Span } from "#runtime/plan/index.ts";
import { Failure, Reject } from "#runtime/value/failure.ts";
import type { Json } from "#runtime/value/json.ts";
import { transforms } from "../diagnostics/codes/transforms.ts";
import type { Finding, Report } from "../diagnostics/diagnostic.ts";

/** Stage 1 of a feature, where it has one. */
export interface Stages<Ready = unknown> {
  /** Stage 1. The schema of the feature has checked the arguments (`AnyFeature`). */
  prepare?(args: unknown): Ready;
}

/**
 * Runs stage 1 on static arguments and gives its result. A refusal becomes a diagnostic at the argument, so that it does not fail only at
 * run time.
 */
export function checkStage<Ready>(feature: Stages<Ready>, args: Json, at: Span, report: Report): Ready | undefined {
  try {
    return feature.prepare?.(args);
  } catch (thrown) {
    report(findingOf(thrown), at);
    return undefined;
  }
}

/** The finding with which stage 1 refuses static arguments. */
export function refusal({ prepare }: Stages, args: Json): Finding | undefined {
  try {
    prepare?.(args);
    return undefined;
  } catch (thrown) {
    return findingOf(thrown);
  }
}

/** Diagnostics that explain more than the message of stage 1. */
const hinted = [transforms.pluralPath];

/** The finding of a refusal. Any other error is a bug of ours and is thrown again. */
function findingOf(thrown: unknown): Finding {
  if (thrown instanceof Reject) {
    const { code, message } = thrown;
    return hinted.find((one) => one.code === code)?.(message) ?? { code, severity: "error", message };
  }
  if (thrown instanceof Failure) return { code: "PW512", severity: "error", message: thrown.message };
  throw thrown;
}
