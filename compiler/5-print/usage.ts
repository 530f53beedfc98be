import type { Json } from "#runtime/json.ts";
import { isObject } from "#runtime/json.ts";
import type { ActionListPlan } from "#runtime/plan.ts";
import { isLiteral } from "../4-plan/mentions.ts";

/** Names of the actions that something else of the same list refers to: only those need a variable. A nested list is a scope of its own. */
export function usage(plan: ActionListPlan): ReadonlySet<string> {
  const names = new Set<string>(plan.declared);
  for (const { gates, reads, skips_with = [] } of plan.actions) {
    for (const gate of [gates.run_when_succeeded, gates.run_when_failed, gates.depends_on])
      for (const name of gate?.actions ?? []) names.add(name);
    for (const name of [...reads, ...skips_with]) names.add(name);
  }
  // Expressions are plain data, so a look through all of them misses none.
  collect(plan as unknown as Json, names); // a plan is JSON by its type, but for fields that may be undefined
  return names;
}

function collect(value: Json | undefined, names: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) collect(item, names);
  if (!isObject(value) || isLiteral(value)) return;
  if (value.op === "action" && typeof value.name === "string") names.add(value.name);
  for (const key of Object.keys(value)) if (value.op !== "lookup" || key !== "body") collect(value[key], names);
}
