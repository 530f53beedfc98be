import type { ActionListPlan } from "#runtime/plan/index.ts";
import { isExpr, isOp, partsOf } from "../4-plan/markers/mentions.ts";

/** The names of the actions to which other parts refer, in the same list or in a loop of it. Only these actions need a variable. */
export function usage(plan: ActionListPlan): ReadonlySet<string> {
  const names = new Set<string>(plan.declared);
  for (const { gates, reads, skips_with = [] } of plan.actions) {
    for (const gate of [gates.run_when_succeeded, gates.run_when_failed, gates.depends_on])
      for (const name of gate?.actions ?? []) names.add(name);
    for (const name of [...reads, ...skips_with]) names.add(name);
  }
  collect(plan, 0, names);
  return names;
}

/**
 * Actions that the list of a loop refers to outside of that list; `up` is the number of loops between the loop's own list and the list of
 * the action.
 */
export function outerActions(plan: ActionListPlan): readonly { readonly name: string; readonly up: number }[] {
  return Array.from({ length: deepest }, (_, up) => {
    const names = new Set<string>();
    collect(plan, up + 1, names);
    return [...names].map((name) => ({ name, up }));
  }).flat();
}

/** The most levels of loops in loops. */
const deepest = 5;

/** Collects the names of actions in the list that is `depth` loops further out than the part. */
function collect(part: unknown, depth: number, names: Set<string>): void {
  if (isExpr(part, "action") && (part.up ?? 0) === depth) names.add(part.name);
  for (const each of partsOf(part)) collect(each, isOp(part, "lookup") && each === part.body ? depth + 1 : depth, names);
}
