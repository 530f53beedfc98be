import { matchers as records } from "#generated/features.ts";
import type { AnyMatcher } from "#runtime/features/feature.ts";
import type { MatcherPlan } from "#runtime/plan/index.ts";
import type { Json } from "#runtime/value/json.ts";
import { tests as codes } from "../../diagnostics/codes/tests.ts";
import type { Report } from "../../diagnostics/diagnostic.ts";

/** A matcher whose operand is known when compiling. */
interface KnownMatcher {
  readonly use: string;
  readonly operand: Json;
  readonly at: MatcherPlan["at"];
}

const features: Readonly<Record<string, AnyMatcher>> = records;

/** Warns of two matchers of one test that no value passes (PW498). */
export function checkContradiction(plans: readonly MatcherPlan[], report: Report): void {
  const matchers = plans.flatMap(({ use, operand, at, reads }): KnownMatcher[] =>
    features[use]?.decides && operand.op === "lit" && reads === undefined ? [{ use, operand: operand.value, at }] : [],
  );
  const [first, second] = pinned(matchers) ?? bounded(matchers) ?? [];
  if (first !== undefined && second?.at !== undefined) report(codes.contradiction(first.use, second.use), second.at);
}

type Pair = readonly [KnownMatcher, KnownMatcher];

/** A pair of matchers: only one value passes the first, and the second refuses this value in every reading of it. */
function pinned(matchers: readonly KnownMatcher[]): Pair | undefined {
  for (const pin of matchers) {
    const values = valuesOf(pin);
    const other = values === undefined ? undefined : matchers.find((one) => one !== pin && !values.some((value) => passes(one, value)));
    if (other !== undefined) return matchers.indexOf(pin) < matchers.indexOf(other) ? [pin, other] : [other, pin];
  }
  return undefined;
}

/**
 * All readings of the one value that passes: for a number only the number, although its text is equal, too. Undefined when different values
 * pass.
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
  const run = features[use]?.run;
  // The matchers that reach this line answer synchronously.
  return run === undefined || run(value, operand) === true;
}

/** A pair of bounds between which no number lies. */
function bounded(matchers: readonly KnownMatcher[]): Pair | undefined {
  const lower = matchers.flatMap((one) => bound(one, "min"));
  const upper = matchers.flatMap((one) => bound(one, "max"));
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

function bound(of: KnownMatcher, side: "min" | "max"): Bound[] {
  const { use, operand } = of;
  const { orders } = features[use] ?? {};
  const isRange = orders === "within" && typeof operand === "object" && operand !== null && !Array.isArray(operand);
  const isOne = side === "min" ? orders === "above" || orders === "from" : orders === "below" || orders === "to";
  const limit = isRange ? operand[side] : isOne ? operand : undefined;
  const value = typeof limit === "number" || (typeof limit === "string" && limit.trim() !== "") ? Number(limit) : Number.NaN;
  return Number.isNaN(value) ? [] : [{ of, value, strict: orders === "above" || orders === "below" }];
}
