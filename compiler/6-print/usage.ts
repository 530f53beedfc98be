import type { ActionListPlan } from "#runtime/plan/index.ts";
import type { Json } from "#runtime/value/json.ts";
import { isObject } from "#runtime/value/json.ts";
import { isLiteral } from "../4-plan/markers/mentions.ts";

/** The names of the actions to which other parts refer, in the same list or in a loop of it. Only these actions need a variable. */
export function usage(plan: ActionListPlan): ReadonlySet<string> {
  const names = new Set<string>(plan.declared);
  for (const { gates, reads, skips_with = [] } of plan.actions) {
    for (const gate of [gates.run_when_succeeded, gates.run_when_failed, gates.depends_on])
      for (const name of gate?.actions ?? []) names.add(name);
    for (const name of [...reads, ...skips_with]) names.add(name);
  }
  // Expressions are plain data, so the search finds all names.
  collect(plan as unknown as Json, 0, names); // a plan is JSON by its type, but for fields that may be undefined
  return names;
}

/**
 * Actions that the list of a loop refers to outside of that list; `up` is the number of loops between the loop's own list and the list of
 * the action.
 */
export function outerActions(plan: ActionListPlan): readonly { readonly name: string; readonly up: number }[] {
  return Array.from({ length: deepest }, (_, up) => {
    const names = new Set<string>();
    collect(plan as unknown as Json, up + 1, names); // as above
    return [...names].map((name) => ({ name, up }));
  }).flat();
}

/** The most levels of loops in loops. */
const deepest = 5;

/** Collects the names of actions in the list that is `depth` loops further out than `value`. */
function collect(value: Json | undefined, depth: number, names: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) collect(item, depth, names);
  if (!isObject(value) || isLiteral(value)) return;
  if (value.op === "action" && typeof value.name === "string" && (value.up ?? 0) === depth) names.add(value.name);
  for (const part of Object.values(value)) collect(part, value.op === "lookup" && part === value.body ? depth + 1 : depth, names);
}
