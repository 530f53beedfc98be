import type { ActionPlan, Expr, Op } from "#runtime/plan/index.ts";

type ExprOf<Kind extends Expr["op"]> = Extract<Expr, { op: Kind }>;

/** True for an expression of this kind. The op `filter` of a list of transforms, which has tests, is none. */
export const isExpr = <Kind extends Expr["op"]>(part: unknown, kind: Kind): part is ExprOf<Kind> =>
  typeof part === "object" && part !== null && "op" in part && part.op === kind && !(kind === "filter" && "tests" in part);

/** True for an action of a plan. */
export const isAction = (part: unknown): part is ActionPlan =>
  typeof part === "object" && part !== null && "ops" in part && "gates" in part;

/** True for an op of this kind. A `filter` needs another test, because there is also an expression of this name. */
export const isOp = <Kind extends Exclude<Op["op"], "filter">>(part: unknown, kind: Kind): part is Extract<Op, { op: Kind }> =>
  typeof part === "object" && part !== null && "op" in part && part.op === kind;

/**
 * The parts of a part of a plan. A plan is plain data, so a search that goes on to all parts finds every expression. A literal has none: it
 * holds data of the user, which may look like a plan.
 */
export const partsOf = (part: unknown): readonly unknown[] =>
  typeof part !== "object" || part === null || isExpr(part, "lit") ? [] : Object.values(part);

/** True when an expression of this kind is anywhere in the part. */
export const mentions = (part: unknown, kind: Expr["op"]): boolean =>
  isExpr(part, kind) || partsOf(part).some((each) => mentions(each, kind));

/** All expressions of this kind in the part, except those inside of another one of them. */
export const exprsIn = <Kind extends Expr["op"]>(part: unknown, kind: Kind): readonly ExprOf<Kind>[] =>
  isExpr(part, kind) ? [part] : partsOf(part).flatMap((each) => exprsIn(each, kind));

/** Managed variables and stored secrets: values that errors and logs never show (spec/language 3.8, 6.3). */
export const isSecret = (root: string, name: string): boolean =>
  root === "secret" || root === "ap_var" || (root === "var" && name.startsWith("ENCRYPTED_"));

/** True when an expression reads a secret anywhere. */
export const readsSecret = (part: unknown): boolean => exprsIn(part, "root").some(({ root, name = "" }) => isSecret(root, name));
