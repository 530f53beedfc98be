import type { ActionPlan, Expr, Op } from "#runtime/plan/index.ts";
import { needsOf } from "../records.ts";
import { isUnset, itemsOf, member } from "./capabilities/member.ts";
import { everyAction } from "./every.ts";

/** True when a person has to confirm the calls of a tool of an agent. */
export function isConfirmed(tool: Expr): boolean {
  const confirm = member(tool, "confirm");
  return !isUnset(confirm) && !(confirm.op === "lit" && confirm.value === false);
}

/** The tools of an agent whose calls a person has to confirm. */
export const confirmedIn = (op: Op): readonly Expr[] =>
  op.op === "call" && op.use === "agent" ? itemsOf(member(op.args, "tools")).filter(isConfirmed) : [];

/** True for a step that waits until a user answers: a callback, or the confirmation of a call of its agent. */
export const waitsForSomebody = (op: Op): boolean => (op.op === "call" && needsOf(op.use) === "answer") || confirmedIn(op).length > 0;

/** The names of actions that wait until a user answers. */
export const waitingNames = (list: readonly ActionPlan[]): readonly string[] =>
  everyAction(list).flatMap(({ name, ops }) => (ops.some(waitsForSomebody) ? [name] : []));

/** True when an interface tells a user of the calls of the tool. */
export const tells = (tool: Expr): boolean => !isUnset(member(tool, "confirm", "interface"));
