import type { ActionPlan, Op } from "#runtime/plan.ts";

/** The actions of a list and those of the loops in it, at any depth. */
export function everyAction(list: readonly ActionPlan[]): readonly ActionPlan[] {
  return list.flatMap((action) => [action, ...action.ops.flatMap((op) => (op.op === "lookup" ? everyAction(op.body.actions) : []))]);
}

/** The steps of an action and those of the lists that are nested in them; loops are actions of their own. */
export const everyOp = ({ ops }: Pick<ActionPlan, "ops">): readonly Op[] => ops.flatMap(withNested);

const withNested = (op: Op): readonly Op[] => (op.op === "nest" ? [op, ...op.lists.flatMap(({ body }) => body.flatMap(withNested))] : [op]);
