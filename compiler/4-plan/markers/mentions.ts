import type { Expr } from "#runtime/plan/index.ts";

/** True when an expression of this kind is anywhere below: expressions are plain data, so a look through all of them misses none. */
export function mentions(part: unknown, kind: Expr["op"]): boolean {
  if (typeof part !== "object" || part === null || isLiteral(part)) return false;
  // The op `filter` is a transform and no expression.
  const isKind = "op" in part && part.op === kind && !(kind === "filter" && "tests" in part);
  return isKind || Object.values(part).some((each) => mentions(each, kind));
}

/** A literal holds the user's data, whatever it looks like. */
export const isLiteral = (part: object): boolean => "op" in part && part.op === "lit";

/** Managed variables and stored secrets: what an error or a log never shows (spec/language 3.8, 6.3). */
export const isSecret = (root: string, name: string): boolean =>
  root === "secret" || root === "ap_var" || (root === "var" && name.startsWith("ENCRYPTED_"));

/** True when an expression reads a secret anywhere. */
export function readsSecret(part: unknown): boolean {
  if (typeof part !== "object" || part === null || isLiteral(part)) return false;
  if ("root" in part && typeof part.root === "string") return isSecret(part.root, "name" in part ? String(part.name) : "");
  return Object.values(part).some(readsSecret);
}
