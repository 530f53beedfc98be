import type { Expr } from "#runtime/plan/index.ts";
import { isObject } from "#runtime/value/json.ts";
import { recordOf } from "../records.ts";

// This file reads facts from the records of features; the rest of the compiler finds them in the plan.

export type FeatureKind = "transforms" | "matchers";

/** True when a call of the feature gives a promise. */
export const featureWaits = (kind: FeatureKind, name: string): boolean => recordOf(kind, name).async === true;

/** True when a call of the matcher with this operand may give a promise. */
export function matcherWaits(matcher: string, operand: Expr): boolean {
  const { async, waitsFor } = recordOf("matchers", matcher);
  return async === true && (waitsFor === undefined || mayHave(operand, waitsFor));
}

/** True when the value may be a map with this member. */
function mayHave(value: Expr, member: string): boolean {
  if (value.op === "lit") return isObject(value.value) && Object.hasOwn(value.value, member);
  if (value.op === "map") return value.entries.some(([key]) => typeof key !== "string" || key === member);
  // Variables of the environment are texts.
  return value.op !== "text" && !(value.op === "root" && value.root === "env");
}

/** True when the matcher can tell whether it passes without the text of a failure. */
export const canHold = (matcher: string): boolean => recordOf("matchers", matcher).holds !== undefined;

/** True when the matcher may add members to the data of its target. */
export const findsMembers = (matcher: string): boolean => recordOf("matchers", matcher).finds === true;

/** True when only a caller who knows a secret can pass the matcher. */
export const provesCaller = (matcher: string): boolean => recordOf("matchers", matcher).proves === true;

/** True when the transform uses its action: the clock, the thread, or the signal that ends its waits. */
export const takesAct = (transform: string): boolean =>
  featureWaits("transforms", transform) || recordOf("transforms", transform).effect !== "pure";

/** True when the matcher reads the run, or waits in it. */
export const takesRun = (matcher: string): boolean => featureWaits("matchers", matcher) || recordOf("matchers", matcher).inRun === true;
