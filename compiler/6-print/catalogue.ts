import { filters } from "#generated/features.ts";
import type { AnyFeature, Context, JsonSchema } from "#runtime/features/feature.ts";
import { Failure, Reject } from "#runtime/value/failure.ts";
import type { Json } from "#runtime/value/json.ts";
import { featureWaits, takesAct, takesRun } from "../5-analyse/features.ts";
import type { ArgumentPlace } from "../jq/print/argument.ts";
import { recordOf } from "../records.ts";
import type { Catalogue } from "./index.ts";

/** Facts about features that the printer needs, taken from their records. */
export const catalogue: Omit<Catalogue, "native"> = {
  staged: (kind, feature) => recordOf(kind, feature).prepare !== undefined,
  unchanged: (kind, feature, args) => isUnchanged(recordOf(kind, feature), args),
  inRun: takesRun,
  mayWait: (matcher) => featureWaits("matchers", matcher),
  jq: (transform) => argumentOf(recordOf("transforms", transform).schema, "jq"),
  pattern: (kind, feature) => argumentOf(recordOf(kind, feature).schema, "regex"),
  everyMatch: (kind, feature) => kind === "transforms" && recordOf(kind, feature).everyMatch === true,
  pure: (transform) => !takesAct(transform),
  optioned: (matcher) => recordOf("matchers", matcher).options === true,
  edit: (transform, args) => recordOf("transforms", transform).edit?.(args),
  filters: Object.fromEntries(Object.entries(filters).map(([word, filter]) => [word, { name: word, clock: filter.clock === true }])),
};

/**
 * True when stage 1 gives the arguments unchanged. Only scalars count, because the result for an object or a list may hold more than JSON.
 */
function isUnchanged({ prepare, schema }: AnyFeature, args: Json): boolean {
  // Stage 1 compiles a pattern, which takes time and never gives the text itself.
  if (prepare === undefined || typeof args === "object" || schema.context === "regex") return false;
  try {
    return prepare(args) === args;
  } catch (error) {
    // `check` has reported the refusal, or it depends on values that are known only at run time.
    if (error instanceof Reject || error instanceof Failure) return false;
    throw error;
  }
}

function argumentOf({ context, properties = {} }: JsonSchema, kind: Context): ArgumentPlace | undefined {
  const member = Object.keys(properties).find((key) => properties[key]?.context === kind);
  return context === kind ? "whole" : member === undefined ? undefined : { member };
}
