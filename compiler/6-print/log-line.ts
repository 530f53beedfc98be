import type { Expr, InterfacePlan, TextPart } from "#runtime/plan/index.ts";
import type { Json } from "#runtime/value/json.ts";
import { mentions } from "../4-plan/markers/mentions.ts";
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
  switch (e.op) {
    case "action":
      return unset;
    case "at": {
      const of = withoutActions(e.of);
      return isUnset(of) ? unset : { ...e, of };
    }
    case "text":
      return {
        ...e,
        parts: e.parts.map((part) => (typeof part === "string" ? part : { ...part, of: withoutActions(part.of) })).filter(isSaid),
      };
    case "lit":
    case "root":
    case "data":
    case "item":
    case "given":
      return e;
    case "count":
    case "each":
    case "reread":
    case "typed":
    case "start":
      return { ...e, of: withoutActions(e.of) };
    case "or":
      return { ...e, of: withoutActions(e.of), instead: withoutActions(e.instead) };
    case "filter":
      return { ...e, of: withoutActions(e.of), args: e.args.map(withoutActions) };
    case "jq":
      return { ...e, filter: withoutActions(e.filter), of: withoutActions(e.of), values: e.values.map(withoutActions) };
    case "join":
    case "list":
      return { ...e, items: e.items.map(withoutActions) };
    case "map":
      return {
        ...e,
        entries: e.entries.map(([key, value]) => [typeof key === "string" ? key : withoutActions(key), withoutActions(value)]),
      };
  }
}

const isUnset = (e: Expr): boolean => e.op === "lit" && (e.value as Json) === null;

/** True for a part that adds text; a hole without a value adds none. */
const isSaid = (part: TextPart): boolean => typeof part === "string" || !isUnset(part.of);
