import type { ActionPlan, Expr, Op } from "#runtime/plan/index.ts";
import { needsOf } from "../records.ts";
import { factsOf } from "./actions/assessor.ts";
import { isUnset, member } from "./capabilities/member.ts";
import { everyAction } from "./every.ts";

/** True when a person has to confirm the calls of a tool of an agent. */
export function isConfirmed(tool: Expr): boolean {
  const confirm = member(tool, "confirm");
  return !isUnset(confirm) && !(confirm.op === "lit" && confirm.value === false);
}

/** True for a step that waits until somebody answers: by a callback, or about a call of its agent. */
export const waitsForSomebody = (op: Op): boolean => (op.op === "call" && needsOf(op.use) === "answer") || factsOf(op).waits === true;

/** The names of actions that wait until a user answers. */
export const waitingNames = (list: readonly ActionPlan[]): readonly string[] =>
  everyAction(list).flatMap(({ name, ops }) => (ops.some(waitsForSomebody) ? [name] : []));
