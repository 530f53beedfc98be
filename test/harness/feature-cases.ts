import type { Effect, JsonSchema, MatcherOptions, ShapedArguments, Transform } from "#runtime/features/feature.ts";
import type { Shape } from "#runtime/shapes/shape.ts";
import type { Json } from "#runtime/value/json.ts";
import { parseYaml, readFixture, root } from "./folders.ts";

// The cases of test/fixtures/{transforms,matchers}/<name>/cases.yaml: inputs of a feature with the expected results. Some are also its
// examples.

interface Case {
  readonly name: string;
  /** The source of the rule. */
  readonly source: "seed" | "docs" | "choice";
  /** The case is shown on the reference page. */
  readonly doc?: true;
  /**
   * Code with which `check` refuses these arguments when they are written literally. Such a case tests values that only a marker can give.
   */
  readonly static?: string;
}

export interface TransformCase extends Case {
  readonly args: Json;
  readonly data: Json;
  /** Exactly one of three: the result, a pattern of its JSON text, or the reason (for refused arguments the code). */
  readonly gives?: Json;
  readonly matches?: string;
  readonly fails?: string;
}

/** Options that a config writes beside the matcher of a test, and the values of markers inside an expression. */
type WrittenOptions = Pick<MatcherOptions, "case_insensitive" | "result_key" | "values">;

export interface MatcherCase extends Case {
  readonly operand: Json;
  readonly target: Json;
  readonly options?: WrittenOptions;
  /** Exactly one of three. */
  readonly passes?: true;
  readonly detail?: string;
  readonly fails?: string;
}

/** A case of a transform or a matcher, in one common form. */
export interface FeatureCase {
  readonly name: string;
  readonly args: Json;
  readonly data: Json;
  readonly options: WrittenOptions;
  /** The code of `static`. */
  readonly unwritable: string | undefined;
  readonly expected: Expected;
}

/**
 * The expectation of a case: JSON text of the data, a pattern of it, the detail of a test (null: it passed), a reason, or the code of a
 * diagnostic.
 */
export type Expected =
  | { readonly gives: string }
  | { readonly matches: string }
  | { readonly detail: string | null }
  | { readonly fails: string }
  | { readonly refused: string };

export type Kind = "transforms" | "matchers";

/** Keys for the expected result; a case has exactly one of them. */
export const endings = { transforms: ["gives", "matches", "fails"], matchers: ["passes", "detail", "fails"] } as const;

/** The cases as they are written; the tests check their form. */
export function writtenCases(kind: Kind, feature: string): readonly (TransformCase & MatcherCase)[] {
  return parseYaml(readFixture(kind, feature, "cases.yaml")) as (TransformCase & MatcherCase)[];
}

export function casesOf(kind: Kind, feature: string): readonly FeatureCase[] {
  return writtenCases(kind, feature).map((written) => {
    const { name, options = {}, static: unwritable } = written;
    const what = kind === "transforms" ? { args: written.args, data: written.data } : { args: written.operand, data: written.target };
    return { name, ...what, options, unwritable, expected: endingOf(written) };
  });
}

function endingOf({ gives, matches, passes, detail, fails }: TransformCase & MatcherCase): Expected {
  if (fails !== undefined) return /^PW\d{3}$/.test(fails) ? { refused: fails } : { fails };
  if (passes !== undefined || detail !== undefined) return { detail: detail ?? null };
  return matches === undefined ? { gives: JSON.stringify(gives) } : { matches };
}

/** The parts of a feature that the cases run. */
export interface Loaded {
  readonly async?: true;
  readonly inRun?: true;
  /** Absent for matchers, which have no effects. */
  readonly effect?: Effect;
  /** `rest` is the `Act` for a transform, and the options for a matcher; a matcher that takes the run gets it before the options. */
  readonly run: (data: Json, ready: unknown, ...rest: readonly unknown[]) => unknown;
  readonly prepare?: (args: Json) => unknown;
  holds?(target: Json, operand: unknown): boolean;
  readonly schema: JsonSchema;
  readonly shape?: (data: Shape, args: ShapedArguments<Json>) => Shape;
  readonly expects?: Transform<Json>["expects"];
}

/** The spec of a feature; the functions that it names must be exports of the file, since printed modules import these. */
export async function loadFeature(kind: Kind, feature: string): Promise<Loaded> {
  const module = await import(new URL(`runtime/features/${kind}/${feature}.ts`, root).href);
  if (module.spec.run !== module[feature] || module.spec.prepare !== module.prepare || module.spec.holds !== module.holds)
    throw new Error(`${kind}/${feature}.ts: spec.run must be the exported ${feature}, spec.prepare and spec.holds those of their names`);
  return module.spec;
}
