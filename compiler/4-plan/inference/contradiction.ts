import { matchers as features } from "#generated/features.ts";
import type { MatcherPlan } from "#runtime/plan/index.ts";
import type { Json } from "#runtime/value/json.ts";
import { tests as codes } from "../../diagnostics/codes/tests.ts";
import type { Report } from "../../diagnostics/diagnostic.ts";

/** A matcher whose operand is known now. */
interface KnownMatcher {
  readonly use: string;
  readonly operand: Json;
  readonly at: MatcherPlan["at"];
}

/** Matchers that look only at the target and the operand, so that they can be run when compiling. */
const decidable: readonly string[] = [
  ...["is_null", "is_not_null", "is_not_empty", "is_array", "is_uuid", "is_equal_to", "is_not_equal_to", "is_between"],
  ...["is_greater_than", "is_greater_than_or_equal_to", "is_less_than", "is_less_than_or_equal_to"],
  ...["contains_text", "starts_with", "ends_with", "not_starts_with", "not_ends_with"],
];

/** Warns of two matchers of one test that no value passes (PW498). */
export function checkContradiction(plans: readonly MatcherPlan[], report: Report): void {
  const matchers = plans.flatMap(({ use, operand, at, reads }): KnownMatcher[] =>
    decidable.includes(use) && operand.op === "lit" && reads === undefined ? [{ use, operand: operand.value, at }] : [],
  );
  const [first, second] = pinned(matchers) ?? bounded(matchers) ?? [];
  if (first !== undefined && second?.at !== undefined) report(codes.contradiction(first.use, second.use), second.at);
}

type Pair = readonly [KnownMatcher, KnownMatcher];

/** One matcher that only one value passes, and another that refuses this value however it is read. */
function pinned(matchers: readonly KnownMatcher[]): Pair | undefined {
  for (const pin of matchers) {
    const values = valuesOf(pin);
    const other = values === undefined ? undefined : matchers.find((one) => one !== pin && !values.some((value) => passes(one, value)));
    if (other !== undefined) return matchers.indexOf(pin) < matchers.indexOf(other) ? [pin, other] : [other, pin];
  }
  return undefined;
}

/**
 * The values of targets that pass: for a number only the number, although its text is equal, too. Undefined when there is more than one.
 */
function valuesOf({ use, operand }: KnownMatcher): readonly Json[] | undefined {
  if ((use === "is_null" && operand === true) || (use === "is_not_null" && operand === false)) return [null];
  if (use !== "is_equal_to") return undefined;
  if (typeof operand === "boolean") return [operand, String(operand)];
  if (typeof operand !== "string") return [operand];
  const number = operand.trim() === "" ? Number.NaN : Number(operand);
  return [operand, ...(Number.isNaN(number) ? [] : [number]), ...(operand === "true" || operand === "false" ? [operand === "true"] : [])];
}

function passes({ use, operand }: KnownMatcher, value: Json): boolean {
  const { run } = features[use as keyof typeof features]; // a name of `decidable`
  // The schema has vouched for the operand; those that are asked give their verdict at once.
  return run === undefined || run(value, operand as never) === true;
}

/** A bound that leaves nothing below the other one. */
function bounded(matchers: readonly KnownMatcher[]): Pair | undefined {
  const lower = matchers.flatMap((one) => bound(one, ["is_greater_than", "is_greater_than_or_equal_to"], "min"));
  const upper = matchers.flatMap((one) => bound(one, ["is_less_than", "is_less_than_or_equal_to"], "max"));
  for (const low of lower) {
    const high = upper.find((one) => (low.strict || one.strict ? low.value >= one.value : low.value > one.value));
    if (high !== undefined) return matchers.indexOf(low.of) < matchers.indexOf(high.of) ? [low.of, high.of] : [high.of, low.of];
  }
  return undefined;
}

interface Bound {
  readonly of: KnownMatcher;
  readonly value: number;
  readonly strict: boolean;
}

function bound(of: KnownMatcher, uses: readonly [string, string], member: "min" | "max"): Bound[] {
  const { use, operand } = of;
  const isRange = use === "is_between" && typeof operand === "object" && operand !== null && !Array.isArray(operand);
  const limit = isRange ? operand[member] : uses.includes(use) ? operand : undefined;
  const value = typeof limit === "number" || (typeof limit === "string" && limit.trim() !== "") ? Number(limit) : Number.NaN;
  return Number.isNaN(value) ? [] : [{ of, value, strict: use === uses[0] }];
}
