import type { Expr, InterfacePlan, TextPart } from "#runtime/plan/index.ts";
import { withInner } from "../4-plan/markers/inner.ts";
import { mentions } from "../4-plan/markers/mentions.ts";
import { isUnset } from "../5-analyse/capabilities/member.ts";
import { code, empty, type Line, lines, list, lit, parenthesised } from "./code.ts";
import { expr } from "./exprs.ts";
import type { ActionPlace } from "./place.ts";
import { settingOf } from "./start.ts";

/**
 * Prints `log` before the checks that may end the run without any action. When the message reads data of actions, `logBehind` prints it
 * again after the actions, and that call replaces this one.
 */
export function logBefore(plan: InterfacePlan, p: ActionPlace): Line[] {
  if (plan.log === undefined || !mayEndBefore(plan)) return [];
  return [...lineOf(plan.log, withoutActions(plan.log.msg), plan, p), { text: empty }];
}

/** Prints `log` behind the actions, unless it was already printed before them. */
export function logBehind(plan: InterfacePlan, p: ActionPlace): Line[] {
  if (plan.log === undefined || (mayEndBefore(plan) && !mentions(plan.log.msg, "action"))) return [];
  return lineOf(plan.log, plan.log.msg, plan, p);
}

const mayEndBefore = ({ params, accepts }: InterfacePlan): boolean => params.length > 0 || accepts !== undefined;

function lineOf({ level, on }: NonNullable<InterfacePlan["log"]>, msg: Expr, { at }: InterfacePlan, p: ActionPlace): Line[] {
  const fields = [
    code`level: ${typeof level === "string" ? lit(level) : settingOf(level, p.imports)}`,
    ...(on === undefined ? [] : [code`on: ${lit(on)}`]),
    code`msg: () => ${parenthesised(expr(msg, p))}`,
  ];
  return lines(code`cx.log({ ${list(fields)} });`, at);
}

const unset: Expr = { op: "lit", value: null };

/** The value before any action has begun, when data of actions are unset. */
function withoutActions(e: Expr): Expr {
  if (e.op === "action") return unset;
  const rest = withInner(e, withoutActions);
  if (rest.op === "at" && isUnset(rest.of)) return unset;
  return rest.op === "text" ? { ...rest, parts: rest.parts.filter(isSaid) } : rest;
}

/** True for a part that adds text; a hole without a value adds none. */
const isSaid = (part: TextPart): boolean => typeof part === "string" || !isUnset(part.of);
