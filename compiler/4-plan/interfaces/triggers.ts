import { triggers } from "#generated/features.ts";
import type { TriggerFeature } from "#runtime/features/feature.ts";
import type { Expr, InterfacePlan } from "#runtime/plan/index.ts";
import { get, type Node } from "../../1-read/document.ts";
import { lower } from "../lower/values.ts";
import { type Lowering, readingOnly, startRoots } from "../markers/scope.ts";

const table: Readonly<Record<string, TriggerFeature>> = triggers;

/**
 * Settings of the triggers that need no code of the compiler: they are needed before any run, so that only markers of the environment may
 * fill them (PW206).
 */
export function planTriggers(node: Node, cx: Lowering): Pick<InterfacePlan, "triggers"> {
  const own = readingOnly(startRoots, cx);
  const planned = Object.entries(table).flatMap(([name, { schema, planned }]): [string, Expr][] => {
    const value = planned === true ? undefined : get(node, name);
    return value === undefined ? [] : [[name, lower(value, schema, own, { field: name, required: true })]];
  });
  return planned.length === 0 ? {} : { triggers: Object.fromEntries(planned) };
}
