import type { Expr } from "#runtime/plan/index.ts";
import { isObject } from "#runtime/value/json.ts";
import { recordOf } from "../records.ts";

// Facts that the records of features state; the rest of the compiler reads the answers in the plan.

export type FeatureKind = "transforms" | "matchers";

/** A call of the feature gives a promise. */
export const featureWaits = (kind: FeatureKind, name: string): boolean => recordOf(kind, name).async === true;

/** A call of the matcher with this operand may give a promise. */
export function matcherWaits(matcher: string, operand: Expr): boolean {
  const { async, waitsFor } = recordOf("matchers", matcher);
  return async === true && (waitsFor === undefined || mayHave(operand, waitsFor));
}

/** The value may be a map with this member. */
function mayHave(value: Expr, member: string): boolean {
  if (value.op === "lit") return isObject(value.value) && Object.hasOwn(value.value, member);
  if (value.op === "map") return value.entries.some(([key]) => typeof key !== "string" || key === member);
  // Variables of the environment are texts.
  return value.op !== "text" && !(value.op === "root" && value.root === "env");
}

/** The matcher can say whether it passes without saying why not. */
export const canHold = (matcher: string): boolean => recordOf("matchers", matcher).holds !== undefined;

/** The matcher may add members to the data that it is asked about. */
export const findsMembers = (matcher: string): boolean => recordOf("matchers", matcher).finds === true;

/** Only a caller who knows a secret can pass the matcher. */
export const provesCaller = (matcher: string): boolean => recordOf("matchers", matcher).proves === true;

/** The transform reads its action: the clock or the thread of it, or the signal that ends its waits. */
export const takesAct = (transform: string): boolean =>
  featureWaits("transforms", transform) || recordOf("transforms", transform).effect !== "pure";

/** The matcher reads the run, or waits in it. */
export const takesRun = (matcher: string): boolean => featureWaits("matchers", matcher) || recordOf("matchers", matcher).inRun === true;
