import type { Expr } from "#runtime/plan.ts";

/** True when an expression of this kind is anywhere below: expressions are plain data, so a look through all of them misses none. */
export function mentions(part: unknown, kind: Expr["op"]): boolean {
  if (typeof part !== "object" || part === null || isLiteral(part)) return false;
  return ("op" in part && part.op === kind) || Object.values(part).some((each) => mentions(each, kind));
}

/** What a literal holds is the user's data, whatever it looks like. */
export const isLiteral = (part: object): boolean => "op" in part && part.op === "lit";
