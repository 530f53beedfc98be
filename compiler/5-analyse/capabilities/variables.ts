import type { ConfigPlan, Expr } from "#runtime/plan/index.ts";
import { isExpr } from "../../4-plan/markers/mentions.ts";

/**
 * The two meanings of an expression: in one, `a|var::NAME|` is a managed variable; in the other, it is the variable of the configuration.
 * Only the environment of the service decides between them.
 */
export function withVariables(e: Expr, { variables }: ConfigPlan): readonly Expr[] {
  const expressions = new Map(variables);
  const filledNames = new Set<string>();
  const filled = fill(e, expressions, filledNames, []);
  // A part of an expression is replaced by an expression, so that the whole is one, too.
  return filledNames.size === 0 ? [e] : [e, filled as Expr];
}

function fill(part: unknown, known: ReadonlyMap<string, Expr>, found: Set<string>, around: readonly string[]): unknown {
  if (typeof part !== "object" || part === null || isExpr(part, "lit")) return part;
  if (Array.isArray(part)) return part.map((one) => fill(one, known, found, around));
  if (isExpr(part, "root") && part.root === "var" && part.name !== undefined) {
    const value = known.get(part.name);
    if (value === undefined || around.includes(part.name)) return part;
    found.add(part.name);
    return fill(value, known, found, [...around, part.name]);
  }
  return Object.fromEntries(Object.entries(part).map(([key, one]) => [key, fill(one, known, found, around)]));
}
