import type { Json } from "#runtime/json.ts";
import { isObject } from "#runtime/json.ts";
import type { ActionListPlan } from "#runtime/plan.ts";
import { isLiteral } from "../4-plan/mentions.ts";

/** Names of the actions that something else of the same list refers to: only those need a variable. A nested list is a scope of its own. */
export function usage(plan: ActionListPlan): ReadonlySet<string> {
  const names = new Set<string>(plan.declared);
  for (const { gates, reads } of plan.actions) {
    for (const gate of [gates.run_when_succeeded, gates.run_when_failed, gates.depends_on])
      for (const name of gate?.actions ?? []) names.add(name);
    for (const name of reads) names.add(name);
  }
  // Expressions are plain data, so a look through all of them misses none.
  collect(JSON.parse(JSON.stringify(plan)) as Json, names); // a plan is JSON by its type
  return names;
}

function collect(value: Json, names: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) collect(item, names);
  if (!isObject(value) || isLiteral(value)) return;
  if (value.op === "action" && typeof value.name === "string") names.add(value.name);
  for (const [key, item] of Object.entries(value)) if (value.op !== "lookup" || key !== "body") collect(item, names);
}
