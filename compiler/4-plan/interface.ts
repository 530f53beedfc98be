import { matchers } from "#generated/features.ts";
import type { ActionPlan, FallbackStrategy, InterfacePlan, ResponsePlan, Span } from "#runtime/plan.ts";
import { entry, flag, get, items, type Node, numberOf, scalarText, textOf } from "../1-read/document.ts";
import type { ResolvedInterface } from "../3-resolve/resolved.ts";
import { type ActionSurroundings, planAction } from "./action.ts";
import { planAssert } from "./assert.ts";
import { planContract } from "./contract.ts";
import { certain, neededReads, reportCycles, startOrder, type Waiting, withImplicitEdges } from "./flow.ts";
import { planParams } from "./params.ts";
import type { Lowering } from "./scope.ts";
import { lower, lowerResponseBody } from "./values.ts";

/** Lowers one interface. Undefined when its actions wait for each other: nothing of it could run. */
export function planInterface(target: ResolvedInterface, around: ActionSurroundings, cx: Lowering): InterfacePlan | undefined {
  const { node } = target;
  const lowered = target.actions.map((action) => {
    const reads = new Map<string, Span>();
    const scope = { ...cx.scope, self: action.name, previous: action.previous, reads };
    return { action, plan: planAction(action, around, { ...cx, scope }), reads };
  });
  const waiting = withImplicitEdges(
    lowered.map(({ action, plan, reads }): Waiting => {
      const gates = Object.values(action.gates);
      const gated = gates.flatMap((gate) => gate.actions.map((to, i) => withPlace(to, gate.spans[i])));
      return { name: plan.name, ungated: gates.length === 0, edges: [...gated, ...[...reads].map(([to, at]) => ({ to, at }))] };
    }),
  );
  // Two actions of one name are one mistake, reported before; edges between such names mean nothing.
  if (new Set(waiting.map(({ name }) => name)).size < waiting.length) return undefined;
  if (reportCycles(waiting, cx.report, target.span)) return undefined;
  const order = startOrder(waiting);
  const plans = new Map(lowered.map(({ plan }) => [plan.name, plan]));
  const actions = order.flatMap((name) => plans.get(name) ?? []);
  const declared = target.actions.map(({ name }) => name);
  const assert = get(node, "assert");
  const rest: Lowering = { ...cx, scope: { ...cx.scope, self: undefined, previous: declared.at(-1), reads: new Map() } };
  const parts = {
    params: planParams(get(node, "params"), { ...rest, scope: { ...rest.scope, actions: new Set(), previous: undefined } }),
    actions: actions.map((plan) => withoutImpliedReads(plan, actions)),
    ...(same(order, declared) ? {} : { declared }),
    ...(assert === undefined
      ? {}
      : { assert: planAssert(assert, { of: { op: "data" }, matchers, atOnce: "the assert of an interface" }, rest) }),
    response: planResponse(get(node, "response"), rest),
  };
  return {
    name: target.name,
    method: target.method,
    ...(target.route === undefined ? {} : { route: target.route }),
    output: target.output,
    disable_fastpath: flag(node, "disable_fastpath"),
    silence: flag(node, "silence"),
    show_error_detail: flag(node, "show_error_detail"),
    ...parts,
    contract: planContract(node, parts, matchers),
    at: target.span,
  };
}

const withPlace = (to: string, at: Span | undefined): Waiting["edges"][number] => (at === undefined ? { to } : { to, at });

const same = (a: readonly string[], b: readonly string[]): boolean => a.every((name, i) => name === b[i]);

/** An ungated action waits for all before it anyway; a gate has waited for its actions and for what those waited for. */
function withoutImpliedReads(plan: ActionPlan, actions: readonly ActionPlan[]): ActionPlan {
  const { gates } = plan;
  const ungated = gates.run_when_succeeded === undefined && gates.run_when_failed === undefined && gates.depends_on === undefined;
  return { ...plan, reads: ungated ? [] : neededReads(plan.reads, gates, (name) => settledBefore(name, actions, new Set())) };
}

function settledBefore(name: string, actions: readonly ActionPlan[], seen: Set<string>): ReadonlySet<string> {
  const index = actions.findIndex((action) => action.name === name);
  const plan = actions[index];
  if (plan === undefined) return seen;
  const { run_when_succeeded, run_when_failed, depends_on } = plan.gates;
  // A gate that did not pass settles the action without waiting for its other gates, so only the first one is certain.
  const first = run_when_succeeded ?? run_when_failed ?? depends_on;
  const waited = first === undefined ? actions.slice(0, index).map((action) => action.name) : certain(first);
  for (const earlier of waited) {
    if (seen.has(earlier)) continue;
    seen.add(earlier);
    settledBefore(earlier, actions, seen);
  }
  return seen;
}

function planResponse(node: Node | undefined, cx: Lowering): ResponsePlan {
  const http_code_on_error = numberOf(get(node, "http_code_on_error"));
  const http_code_fallback = numberOf(get(node, "http_code_fallback"));
  const strategy = textOf(get(node, "http_code_fallback_strategy"));
  const inherit = items(get(node, "http_code_inherit_error")).flatMap((item) => scalarText(item) ?? []);
  const headers = get(node, "headers");
  const custom = entry(node, "custom_body");
  return {
    ...(http_code_on_error === undefined ? {} : { http_code_on_error }),
    ...(inherit.length === 0 ? {} : { http_code_inherit_error: inherit }),
    ...(http_code_fallback === undefined ? {} : { http_code_fallback }),
    ...(strategy === undefined ? {} : { http_code_fallback_strategy: strategy as FallbackStrategy }), // one of the enum, by the schema
    ...(headers === undefined ? {} : { headers: lower(headers, { type: "object", additionalProperties: { context: "header" } }, cx) }),
    ...(custom === undefined ? {} : { custom_body: lowerResponseBody(custom.value, cx) }),
  };
}
