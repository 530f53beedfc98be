import type { ActionPlan, Op } from "#runtime/plan/index.ts";

/** The actions of a list, and the actions of the loops in it, at any depth. */
export function everyAction(list: readonly ActionPlan[]): readonly ActionPlan[] {
  return list.flatMap((action) => [action, ...action.ops.flatMap((op) => everyAction(inside(op).actions))]);
}

/** The ops of an action, and the ops of nested lists in them. Ops of actions in loops are left out. */
export const everyOp = ({ ops }: Pick<ActionPlan, "ops">): readonly Op[] => ops.flatMap((op) => [op, ...everyOp(inside(op))]);

interface Inside {
  readonly actions: readonly ActionPlan[];
  readonly ops: readonly Op[];
}

const nothing: Inside = { actions: [], ops: [] };

function inside(op: Op): Inside {
  switch (op.op) {
    case "take":
    case "call":
    case "query":
    case "pick":
    case "check":
    case "transform":
    case "filter":
      return nothing;
    case "lookup":
      return { ...nothing, actions: op.body.actions };
    case "nest":
      return { ...nothing, ops: op.lists.flatMap(({ body }) => body) };
  }
}
