import { filters, matchers, transforms } from "#generated/features.ts";
import type { AnyFeature, Context, JsonSchema } from "#runtime/features/feature.ts";
import { takesAct, takesRun } from "../5-analyse/features.ts";
import type { ArgumentPlace } from "../jq/print/argument.ts";
import type { Catalogue } from "./index.ts";

type Facts = Pick<AnyFeature, "edit" | "everyMatch" | "options" | "schema"> & {
  readonly prepare?: unknown;
};

/** Facts about features that the printer needs, read off their specs. */
export const catalogue: Omit<Catalogue, "native"> = {
  staged: (kind, feature) => facts(kind === "transforms" ? transforms : matchers, feature).prepare !== undefined,
  inRun: takesRun,
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

function argumentOf({ context, properties = {} }: JsonSchema, kind: Context): ArgumentPlace | undefined {
  const member = Object.keys(properties).find((key) => properties[key]?.context === kind);
  return context === kind ? "whole" : member === undefined ? undefined : { member };
}

function facts(table: Readonly<Record<string, Facts>>, name: string): Facts {
  const feature = Object.hasOwn(table, name) ? table[name] : undefined;
  if (feature === undefined) throw new Error(`unknown feature ${name}`);
  return feature;
}
