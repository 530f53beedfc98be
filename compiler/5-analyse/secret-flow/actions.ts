import type { ActionListPlan, ActionPlan, AssertPlan, Expr, LogPlan, Op, ShortReplyPlan, Span, Step } from "#runtime/plan/index.ts";
import { memberOf } from "../../4-plan/inference/provenance.ts";
import { present } from "../../present.ts";
import { recordOf } from "../../records.ts";
import { isUnset, member } from "../capabilities/member.ts";
import { inPath, inQuery } from "./addresses.ts";
import { shownPath, type Tell } from "./sinks.ts";
import {
  anywhere,
  at as below,
  clean,
  elements,
  inItems,
  inMembers,
  mapped,
  onward,
  type Stop,
  type Taint,
  union,
  whole,
} from "./taint.ts";
import { afterTransform } from "./transforms.ts";
import { type Scope, taintOf } from "./values.ts";

/** The surroundings of an action: the function that is told of shown values, and whether a caller sees its replies. */
export interface Around {
  readonly tell: Tell;
  readonly answers: boolean;
}

/** The secrets in the data of each action of a list, in start order. Secrets that the actions themselves show are reported. */
export function afterActions({ actions }: ActionListPlan, scope: Scope, around: Around): ReadonlyMap<string, Taint> {
  const taints = new Map(scope.actions);
  for (const action of actions) visitAction(action, taints, { ...scope, actions: taints }, around);
  return taints;
}

/** Adds the secrets in the data of an action to `known`, and reports the secrets that the action shows. */
function visitAction(action: ActionPlan, known: Map<string, Taint>, outer: Scope, around: Around): void {
  const { name, ops, at, logs, gates } = action;
  tellAssert(gates.run_on_assertion, outer, around, at);
  tellLines(logs.pre_log, "pre_log", outer, around, at);
  const data = ops.reduce((taint, op) => afterOp(op, action, { ...outer, data: taint }, around), clean);
  const result = mapped(data, (way, path) => onward(way, stopOf(action, path)));
  known.set(name, result);
  const own = { ...outer, data: result };
  for (const moment of ["success_log", "post_log", "error_log", "retry_log"] as const) tellLines(logs[moment], moment, own, around, at);
  tellReply(action.response_on_success, "response_on_success", own, around, at);
  tellReply(action.response_on_error, "response_on_error", own, around, at);
  if (action.stream !== undefined)
    around.tell("channel", taintOf(memberOf(action.stream, "channel"), own), { field: "stream.channel", at });
}

/** The step of a report that names an action and a member, as in `action Login, 'token'`. */
const stopOf = ({ name, at }: ActionPlan, path: readonly Step[]): Stop => ({
  name: path.length === 0 ? `action ${name}` : `action ${name}, '${shownPath("", path)}'`,
  ...present({ at }),
});

function tellLines(lines: readonly LogPlan[] = [], field: string, scope: Scope, { tell }: Around, at: Span | undefined): void {
  for (const { msg } of lines) tell("log", whole(taintOf(msg, scope)), { field, at });
}

/** Reports secrets in the reply of an action. In a loop the reply only ends the item, and no caller sees it. */
export function tellReply(
  reply: Pick<ShortReplyPlan, "headers" | "body"> | undefined,
  field: string,
  scope: Scope,
  { tell, answers }: Around,
  at: Span | undefined,
): void {
  if (!answers || reply === undefined) return;
  if (reply.headers !== undefined) tell("answer", taintOf(reply.headers, scope), { field: `${field}.headers`, at });
  if (reply.body !== undefined) tell("answer", taintOf(reply.body.of, scope), { field: `${field}.body`, at });
}

/** Reports secrets in the texts of an assert, which callers can read. */
export function tellAssert(assert: AssertPlan | undefined, scope: Scope, { tell, answers }: Around, at: Span | undefined): void {
  if (assert === undefined || !answers) return;
  const texts = [
    ["error_message", assert.error_message],
    ["success_message", assert.success_message],
    ...assert.tests.flatMap((test) => [["error_message", test.error_message] as const, ["http_response", test.http_response?.of] as const]),
  ] as const;
  for (const [field, text] of texts) if (text !== undefined) tell("answer", taintOf(text, scope), { field, at });
}

/** The secrets in the data that an op leaves. */
function afterOp(op: Op, action: ActionPlan, scope: Scope, around: Around): Taint {
  switch (op.op) {
    case "take":
      return taintOf(op.from, scope);
    case "call":
      tellCall(op, scope, around, op.at ?? action.at);
      return union(afterCall(op, scope), issuedBy(op, action));
    case "query":
      return clean;
    case "pick":
      return union(...op.choices.map(({ input }) => taintOf(input, scope)));
    case "lookup":
      return afterLoop(op, scope, around);
    case "check":
      tellAssert(op.assert, scope, around, op.at ?? action.at);
      return scope.data;
    case "transform":
    case "filter":
    case "nest":
      return afterTransform(op, scope);
  }
}

/** Reports secrets in the fields that an action shows to others (feature.ts `reveals`). */
function tellCall({ use, args }: Extract<Op, { op: "call" }>, scope: Scope, { tell }: Around, at: Span | undefined): void {
  const { address = [], ...rest } = recordOf("actions", use).reveals ?? {};
  for (const [exposure, fields] of Object.entries(rest))
    for (const way of fields) tell(exposure as keyof typeof rest, fieldTaint(args, way, scope), { field: shownPath(use, way), at });
  for (const way of address) {
    const url = memberOf(args, ...way);
    tell("path", inPath(url, scope), { field: shownPath(use, way), at });
    tell("query", inQuery(url, scope), { field: shownPath(use, way), at });
  }
}

/** The secrets in a field; a `*` in the path stands for each item of a list. */
function fieldTaint(args: Expr, [first = "", ...rest]: readonly string[], scope: Scope): Taint {
  const field = memberOf(args, first);
  return rest[0] === "*" && field.op === "map" ? clean : below(taintOf(field, scope), rest);
}

/** The secrets in the result of a call. A service is assumed not to return the data that it was sent. */
function afterCall({ use, args }: Extract<Op, { op: "call" }>, scope: Scope): Taint {
  const { origin } = recordOf("actions", use);
  if (origin === undefined || origin === "configuration" || origin === "request") return clean;
  if (origin === "data") return scope.data;
  return union(...origin.map((field) => whole(taintOf(memberOf(args, field), scope))));
}

/** The secrets that a service issues: a token is a secret, with any request for it. */
function issuedBy({ use, args, at }: Extract<Op, { op: "call" }>, action: ActionPlan): Taint {
  const { issues = {} } = recordOf("actions", use);
  const names = Object.entries(issues).flatMap(([field, members]) => (isUnset(member(args, field)) ? [] : members));
  const place = at ?? action.at;
  const way = { secret: `the token of action ${action.name}`, hidden: true, stops: [], ...(place && { at: place, read: place }) };
  return inMembers(names.map((name) => [name, anywhere([way])]));
}

function afterLoop({ over, options, body }: Extract<Op, { op: "lookup" }>, scope: Scope, { tell }: Around): Taint {
  const inherited = [options.inherit, options.inherit_jq].flatMap((each) => (each === undefined ? [] : [taintOf(each, scope)]));
  const item = union(elements(taintOf(over, scope)), ...inherited);
  const inner: Scope = { ...scope, body: item, actions: new Map(), outer: scope, data: clean };
  const result = afterActions(body, inner, { tell, answers: false });
  const entries = body.actions.filter(isShown).map(({ name }) => [name, inMembers([["data", result.get(name) ?? clean]])] as const);
  const results = inItems(inMembers([["data", inMembers(entries)]]));
  if (options.partition === undefined) return results;
  return inMembers([
    ["succeeded", results],
    ["failed", union(results, inItems(inMembers([["item", item]])))],
  ]);
}

/** True when the data of an action are shown. Hidden data are hidden in items of a loop, too. */
export const isShown = ({ hide }: ActionPlan): boolean => hide.hide_action !== true && hide.hide_data_on_success !== true;
