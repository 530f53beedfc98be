import { filters, matchers, transforms } from "#generated/features.ts";
import type { AnyFeature, Context, JsonSchema } from "#runtime/features/feature.ts";
import { Failure, Reject } from "#runtime/value/failure.ts";
import type { Json } from "#runtime/value/json.ts";
import { featureWaits, takesAct, takesRun } from "../5-analyse/features.ts";
import type { ArgumentPlace } from "../jq/print/argument.ts";
import type { Catalogue } from "./index.ts";

type Facts = Pick<AnyFeature, "edit" | "everyMatch" | "options" | "schema"> & {
  readonly prepare?: (args: never) => unknown;
};

/** Facts about features that the printer needs, read off their specs. */
export const catalogue: Omit<Catalogue, "native"> = {
  staged: (kind, feature) => facts(kind === "transforms" ? transforms : matchers, feature).prepare !== undefined,
  unchanged: (kind, feature, args) => isUnchanged(facts(kind === "transforms" ? transforms : matchers, feature), args),
  inRun: takesRun,
  mayWait: (matcher) => featureWaits("matchers", matcher),
  jq: (transform) => argumentOf(facts(transforms, transform).schema, "jq"),
  pattern: (kind, feature) => argumentOf(facts(kind === "transforms" ? transforms : matchers, feature).schema, "regex"),
  everyMatch: (kind, feature) => facts(kind === "transforms" ? transforms : matchers, feature).everyMatch === true,
  pure: (transform) => !takesAct(transform),
  optioned: (matcher) => facts(matchers, matcher).options === true,
  edit: (transform, args) => {
    const { edit } = facts(transforms, transform);
    return edit?.(args as never); // the schema has vouched for the arguments
  },
  filters: Object.fromEntries(Object.entries(filters).map(([word, filter]) => [word, { name: word, clock: filter.clock === true }])),
};

/** Only values that nothing can be a part of: what stage 1 gives for others may hold more than JSON. */
function isUnchanged({ prepare, schema }: Facts, args: Json): boolean {
  // A pattern becomes more than its text, and takes long to become it.
  if (prepare === undefined || typeof args === "object" || schema.context === "regex") return false;
  try {
    return prepare(args as never) === args; // the schema has vouched for the arguments
  } catch (error) {
    // `check` has reported it, or what it depends on is known only in a run.
    if (error instanceof Reject || error instanceof Failure) return false;
    throw error;
  }
}

function argumentOf({ context, properties = {} }: JsonSchema, kind: Context): ArgumentPlace | undefined {
  const member = Object.keys(properties).find((key) => properties[key]?.context === kind);
  return context === kind ? "whole" : member === undefined ? undefined : { member };
}

function facts(table: Readonly<Record<string, Facts>>, name: string): Facts {
  const feature = Object.hasOwn(table, name) ? table[name] : undefined;
  if (feature === undefined) throw new Error(`unknown feature ${name}`);
  return feature;
}
