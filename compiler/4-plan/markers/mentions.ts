import type { Expr } from "#runtime/plan/index.ts";

/** True when an expression of this kind is anywhere below: expressions are plain data, so all members of an object can be searched. */
export function mentions(part: unknown, kind: Expr["op"]): boolean {
  if (typeof part !== "object" || part === null || isLiteral(part)) return false;
  // The op `filter` is a transform, not an expression.
  const isKind = "op" in part && part.op === kind && !(kind === "filter" && "tests" in part);
  return isKind || Object.values(part).some((each) => mentions(each, kind));
}

/** True for a literal. It holds the user's data, which may look like an expression. */
export const isLiteral = (part: object): boolean => "op" in part && part.op === "lit";

/** Managed variables and stored secrets: values that errors and logs never show (spec/language 3.8, 6.3). */
export const isSecret = (root: string, name: string): boolean =>
  root === "secret" || root === "ap_var" || (root === "var" && name.startsWith("ENCRYPTED_"));

/** True when an expression reads a secret anywhere. */
export function readsSecret(part: unknown): boolean {
  if (typeof part !== "object" || part === null || isLiteral(part)) return false;
  if ("root" in part && typeof part.root === "string") return isSecret(part.root, "name" in part ? String(part.name) : "");
  return Object.values(part).some(readsSecret);
}
