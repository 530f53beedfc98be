import type { ConfigPlan, Expr, InterfacePlan } from "#runtime/plan/index.ts";
import type { Report } from "../../diagnostics/diagnostic.ts";
import { present } from "../../present.ts";
import { type Around, afterActions, isShown, tellAssert, tellReply } from "./actions.ts";
import { type Tell, telling } from "./sinks.ts";
import { secretOf } from "./sources.ts";
import { anywhere, clean, inMembers, mapped, onward, type Taint, union, waysIn } from "./taint.ts";
import { readAt, type Scope, taintOf } from "./values.ts";

/**
 * Follows secrets through a configuration, and warns when a secret reaches readers who should not have it: callers, readers of logs,
 * messages and mails, the durable state, addresses (PW283, PW284). The answer of a service counts as free of what was sent to it, and a
 * hash as free of its input. `sealed` names managed variables that are sealed in a file of the environment.
 */
export function followSecrets(plan: ConfigPlan, sealed: ReadonlySet<string>, report: Report): void {
  const variables = variablesOf(plan, sealed);
  const tell = telling(report);
  const failed = plan.on_error?.interface;
  const [handlers, others] = [plan.interfaces.filter(({ name }) => name === failed), plan.interfaces.filter(({ name }) => name !== failed)];
  const shown = others.map((each) => followInterface(each, clean, variables, tell, sealed));
  // The handler gets the data of the failed run, in the form of the envelope (spec/language 7.8).
  const record = mapped(inMembers([["data", union(...shown)]]), (way) => onward(way, { name: "on_error" }));
  for (const each of handlers) followInterface(each, record, variables, tell, sealed);
}

type Root = Extract<Expr, { op: "root" }>;

const nothing: Scope = { root: () => clean, body: clean, actions: new Map(), data: clean, item: clean, given: [] };

const ofVariable = (name: string, taint: Taint): Taint => mapped(taint, (way) => onward(way, { name: `variable ${name}` }));

/** The secrets that the variables of the configuration read. */
function variablesOf({ variables }: ConfigPlan, sealed: ReadonlySet<string>): ReadonlyMap<string, Taint> {
  const definitions = new Map(variables);
  const taints = new Map<string, Taint>();
  // The loop replaces recursion, because a chain of variables may be longer than the stack allows.
  const open = [...definitions.keys()].reverse();
  const begun = new Set<string>();
  for (let name = open.at(-1); name !== undefined; name = open.at(-1)) {
    begun.add(name);
    const before = open.length;
    const root = (e: Root): Taint => {
      const read = e.name ?? "";
      if (e.root !== "var" || !definitions.has(read)) return secretOf(e, sealed);
      if (!begun.has(read)) open.push(read); // a variable that reads itself was reported
      return taints.get(read) ?? clean;
    };
    const of = taints.has(name) ? undefined : definitions.get(name);
    const taint = of === undefined ? undefined : taintOf(of, { ...nothing, root });
    if (open.length > before) continue;
    open.pop();
    if (taint !== undefined) taints.set(name, ofVariable(name, taint));
  }
  return taints;
}

/** Follows the secrets of one interface, and gives the secrets in the entries of its actions. */
function followInterface(
  plan: InterfacePlan,
  body: Taint,
  variables: ReadonlyMap<string, Taint>,
  tell: Tell,
  sealed: ReadonlySet<string>,
): Taint {
  const { at, response, assert } = plan;
  const config = rootsOf(variables, sealed);
  const params = inMembers(plan.params.map(({ name, value }) => [name, taintOf(value, { ...nothing, root: config })]));
  const scope: Scope = { ...nothing, body, root: (e) => (e.root === "params" ? params : config(e)) };
  const around: Around = { tell, answers: hasCaller(plan) };
  const actions = afterActions(plan, scope, around);
  const ended = { ...scope, actions };
  tellAssert(assert, ended, around, at);
  if (plan.log !== undefined) tell("log", taintOf(plan.log.msg, ended), { field: "log", at });
  tellResponse(plan, ended, around);
  if (around.answers && response.custom_body === undefined && !plan.silence) tellEnvelope(plan, actions, tell);
  if (plan.capture !== undefined || plan.start?.capture !== undefined) tellRecords(plan, actions, tell);
  return inMembers(plan.actions.filter(isShown).map(({ name }) => [name, inMembers([["data", actions.get(name) ?? clean]])]));
}

/** The secrets in a root. A variable of the configuration has the secrets of its definition, even when a managed variable replaces it. */
const rootsOf =
  (variables: ReadonlyMap<string, Taint>, sealed: ReadonlySet<string>) =>
  (e: Root): Taint => {
    const defined = e.root === "var" ? variables.get(e.name ?? "") : undefined;
    if (defined === undefined) return secretOf(e, sealed);
    return readAt(defined, e.at);
  };

/** True when a caller gets the outcome of the interface (spec/language 7.6). */
function hasCaller({ discards, respond, respond_after, route, mcp, tool, ws, mqtt, schedule, idle }: InterfacePlan): boolean {
  if (discards === true || (respond === "early" && respond_after === undefined)) return false;
  return (route ?? mcp ?? tool) !== undefined || ws === "reply" || (mqtt === undefined && schedule === undefined && idle === undefined);
}

function tellResponse({ response, respond, silence, at }: InterfacePlan, scope: Scope, around: Around): void {
  if (respond === "early") return;
  const { headers, custom_body, error_body } = response;
  tellReply(present({ headers }), "response", scope, around, at);
  if (!around.answers || silence) return;
  if (custom_body !== undefined) around.tell("answer", taintOf(custom_body.of, scope), { field: "custom_body", at });
  if (error_body !== undefined) around.tell("answer", taintOf(error_body.of, scope), { field: "error_body", at });
}

/** Reports secrets in the envelope. Without a body of its own, the answer has the data of every action that does not hide them. */
function tellEnvelope({ actions }: InterfacePlan, data: ReadonlyMap<string, Taint>, tell: Tell): void {
  for (const action of actions.filter(isShown)) tell("answer", data.get(action.name) ?? clean, { at: action.at });
}

/** Reports secrets in records of runs. Records hide secrets whose value appears unchanged (spec/surfaces 16). */
function tellRecords({ actions }: InterfacePlan, data: ReadonlyMap<string, Taint>, tell: Tell): void {
  for (const action of actions.filter(isShown)) {
    const shown = waysIn(data.get(action.name) ?? clean).flatMap(([way]) => (way.hidden ? [] : [way]));
    tell("record", anywhere(shown), { at: action.at });
  }
}
