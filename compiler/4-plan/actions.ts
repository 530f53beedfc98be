import type { ActionListPlan, ActionPlan, Span } from "#runtime/plan/index.ts";
import type { ResolvedAction } from "../3-resolve/resolved.ts";
import { type ActionSurroundings, planAction } from "./action.ts";
import { neededReads, reportCycles, startingAfter, startOrder, type Waiting } from "./action-order.ts";
import { mayBeDropped } from "./actions/only_new.ts";
import type { Lowering } from "./markers/scope.ts";

/** Lowers the actions of one list in start order. Undefined when the actions wait for each other, because none of them could run. */
export function planActions(
  list: readonly ResolvedAction[],
  span: Span,
  around: ActionSurroundings,
  cx: Lowering,
): ActionListPlan | undefined {
  const later = laterThan(list);
  const lowered = list.map((action) => {
    const reads = new Map<string, Span>();
    const scope = { ...cx.scope, self: action.name, previous: action.previous, reads, later: later(action.name) };
    return { action, plan: planAction(action, around, { ...cx, scope }), reads };
  });
  const waiting = lowered.map(({ action, plan, reads }): Waiting => {
    const gates = Object.values(action.gates);
    const gated = gates.flatMap((gate) => gate.actions.map((to, i) => withPlace(to, gate.spans[i])));
    return { name: plan.name, ungated: gates.length === 0, edges: [...gated, ...[...reads].map(([to, at]) => ({ to, at }))] };
  });
  // Two actions with one name are a mistake that was reported before; edges between such names mean nothing.
  if (new Set(waiting.map(({ name }) => name)).size < waiting.length) return undefined;
  if (reportCycles(waiting, cx.report, span)) return undefined;
  const order = startOrder(waiting);
  const plans = new Map(lowered.map(({ plan }) => [plan.name, plan]));
  const actions = order.flatMap((name) => plans.get(name) ?? []);
  const declared = list.map(({ name }) => name);
  const readsOf = new Map(lowered.map(({ action, plan, reads }) => [plan.name, [...namesIn(action), ...reads.keys()]]));
  const dropped = withDropped(actions, readsOf);
  const needed = neededReads(dropped);
  return { actions: dropped.map((plan) => ({ ...plan, reads: needed(plan) })), ...(same(order, declared) ? {} : { declared }) };
}

/** For each action, the actions that surely start after it, by gates and order. */
function laterThan(list: readonly ResolvedAction[]): (name: string) => ReadonlySet<string> {
  // Only the actions of a loop need this order.
  if (list.every(({ actions }) => actions === undefined)) return () => new Set();
  return startingAfter(
    list.map((action) => ({
      name: action.name,
      ungated: Object.values(action.gates).length === 0,
      edges: namesIn(action).map((to) => ({ to })),
    })),
  );
}

const namesIn = ({ gates }: ResolvedAction): string[] => Object.values(gates).flatMap(({ actions }) => actions);

/**
 * Marks the actions that are skipped when an action of `only_new` drops its item: every action that names or reads it, directly or through
 * other actions (spec/transforms 8). The actions are in start order.
 */
function withDropped(actions: readonly ActionPlan[], readsOf: ReadonlyMap<string, readonly string[]>): readonly ActionPlan[] {
  const droppable = new Set<string>();
  return actions.map((plan) => {
    const skips_with = [...new Set(readsOf.get(plan.name))].filter((name) => droppable.has(name));
    if (skips_with.length > 0 || mayBeDropped(plan)) droppable.add(plan.name);
    return skips_with.length === 0 ? plan : { ...plan, skips_with };
  });
}

const withPlace = (to: string, at: Span | undefined): Waiting["edges"][number] => (at === undefined ? { to } : { to, at });

const same = (a: readonly string[], b: readonly string[]): boolean => a.every((name, i) => name === b[i]);
