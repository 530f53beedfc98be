import type { Expr, TestPlan } from "#runtime/plan/index.ts";

/** True when a test needs a value: every test does, unless it passes a missing value. */
export function demands({ optional, matchers }: TestPlan): boolean {
  return !optional && !matchers.some(({ use, operand }) => accepts(use, operand));
}

function accepts(use: string, operand: Expr): boolean {
  if (operand.op !== "lit") return false;
  return (use === "is_null" && operand.value === true) || (use === "is_equal_to" && operand.value === null);
}
