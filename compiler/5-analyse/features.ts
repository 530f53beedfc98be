import { matchers, transforms } from "#generated/features.ts";
import type { AnyFeature } from "#runtime/features/feature.ts";

// Facts that the records of features state; the rest of the compiler reads the answers in the plan.

export type FeatureKind = "transforms" | "matchers";

const tables: Readonly<Record<FeatureKind, Readonly<Record<string, AnyFeature>>>> = { transforms, matchers };

function record(kind: FeatureKind, name: string): AnyFeature {
  const feature = Object.hasOwn(tables[kind], name) ? tables[kind][name] : undefined;
  if (feature === undefined) throw new Error(`unknown feature ${name}`);
  return feature;
}

/** A call of the feature gives a promise. */
export const featureWaits = (kind: FeatureKind, name: string): boolean => record(kind, name).async === true;

/** The matcher can say whether it passes without saying why not. */
export const canHold = (matcher: string): boolean => record("matchers", matcher).holds !== undefined;

/** The matcher may add members to the data that it is asked about. */
export const findsMembers = (matcher: string): boolean => record("matchers", matcher).finds === true;

/** Only a caller who knows a secret can pass the matcher. */
export const provesCaller = (matcher: string): boolean => record("matchers", matcher).proves === true;

/** The transform reads its action: the clock or the thread of it, or the signal that ends its waits. */
export const takesAct = (transform: string): boolean =>
  featureWaits("transforms", transform) || record("transforms", transform).effect !== "pure";

/** The matcher reads the run, or waits in it. */
export const takesRun = (matcher: string): boolean => featureWaits("matchers", matcher) || record("matchers", matcher).inRun === true;
