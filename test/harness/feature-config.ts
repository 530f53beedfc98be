import { stringify } from "yaml";
import type { JsonSchema } from "#runtime/features/feature.ts";
import type { Json } from "#runtime/value/json.ts";
import type { FeatureCase, Kind } from "./feature-cases.ts";
import { type Extent, type Marked, marked, markedExpression } from "./marked.ts";

/** A feature that cases are about. */
export interface Feature {
  readonly kind: Kind;
  readonly name: string;
  readonly schema: JsonSchema;
}

/** One case as an interface: its name, its actions, and the values that its markers read. */
export interface CaseInterface {
  readonly name: string;
  readonly actions: Json;
  readonly leaves: readonly Json[];
}

/** The case as an interface of a config. A request with the body `{data, leaves}` runs it. */
export function caseInterface({ kind, name, schema }: Feature, one: FeatureCase, index: number, extent: Extent): CaseInterface {
  const { value, leaves } = argumentsOf(one, kind, schema, extent);
  const { values: _, ...options } = one.options;
  const use =
    kind === "transforms" ? { post_transforms: [{ [name]: value }] } : { assert: { tests: [{ name: "$", ...options, [name]: value }] } };
  return { name: `case_${index + 1}`, actions: [{ name: "Case", input: "a|body::data|", ...use }], leaves };
}

function argumentsOf({ args, unwritable, options }: FeatureCase, kind: Kind, schema: JsonSchema, extent: Extent): Marked {
  if (schema.context === "expression") return markedExpression(String(args), options.values ?? [], "body::leaves");
  // The operand null comes from the default of a marker: a written null means an absent key, and a matcher with an unset marker is not
  // compared (spec/language 6.3).
  if (kind === "matchers" && args === null) return { value: "a|body::leaves[0]->default(null)|", leaves: [args] };
  // An operand that `check` refuses as a literal comes from one marker, unless the schema wants a map.
  if (kind === "matchers" && extent === "all" && unwritable !== undefined && schema.type !== "object")
    return { value: "a|body::leaves[0]|", leaves: [args] };
  return marked(args, schema, "body::leaves", extent);
}

/** YAML of a config with these interfaces. */
export function configText(name: string, interfaces: readonly CaseInterface[]): string {
  const bodies = Object.fromEntries(interfaces.map((each) => [each.name, { method: "POST", actions: each.actions }]));
  return stringify({ name, interfaces: bodies }, { lineWidth: 0, aliasDuplicateObjects: false });
}
