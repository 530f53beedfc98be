import { isObject, own } from "#runtime/json.ts";
import type { Expr, Span } from "#runtime/plan.ts";
import { type Code, code, list } from "./code.ts";
import { compiledJq, expr } from "./exprs.ts";
import { filterArgument } from "./jq/argument.ts";
import type { ActionPlace } from "./ops.ts";

/** Arguments as the feature wants them: stage 1 is hoisted to a module constant when they are static. */
export function ready(
  kind: "transforms" | "matchers",
  feature: string,
  args: Expr,
  label: string,
  at: Span | undefined,
  p: ActionPlace,
): Code {
  if (!p.features.staged(kind, feature)) return expr(args, p);
  const pattern = patternOf(kind, feature, args, p);
  const prepared = (indent: string): Code => {
    const inner = { ...p, indent };
    if (pattern !== undefined) return code`${p.imports.prepareNative(kind, feature)}(${list([expr(args, inner), ...pattern])})`;
    const { text, values } = filterArgument(args);
    const filter = kind === "transforms" && p.features.takesJq(feature) ? compiledJq(text, values, inner) : undefined;
    return code`${p.imports.prepare(kind, feature)}(${list([expr(args, inner), ...(filter === undefined ? [] : [filter])])})`;
  };
  return args.op === "lit" ? p.hoist(`${label}_${feature}`, prepared(""), at) : prepared(p.indent);
}

/** The pattern in the arguments as JavaScript's, none where there is no pattern; undefined where our engine has to run it. */
function patternOf(kind: "transforms" | "matchers", feature: string, args: Expr, { features }: ActionPlace): readonly Code[] | undefined {
  const where = features.pattern(kind, feature);
  if (where === undefined) return undefined;
  const text = where === "whole" ? args : memberOf(args, where.member);
  if (text?.op !== "lit") return undefined;
  if (text.value === null) return [];
  const native = features.native(String(text.value));
  return native === undefined ? undefined : [native];
}

/** A member of arguments, null where it is left out; undefined when that is known only in a run. */
function memberOf(args: Expr, member: string): Expr | undefined {
  if (args.op === "lit") return { op: "lit", value: isObject(args.value) ? (own(args.value, member) ?? null) : null };
  if (args.op !== "map" || args.entries.some(([key]) => typeof key !== "string")) return undefined;
  return args.entries.find(([key]) => key === member)?.[1] ?? { op: "lit", value: null };
}

/** A path of a transform, parsed once when it is static. */
export function pathOf(target: Expr, what: string, at: Span | undefined, p: ActionPlace): Code {
  const parsed = (indent: string): Code => code`${p.imports.helper("lib/path.ts", "nodePath")}(${expr(target, { ...p, indent })})`;
  return target.op === "lit" ? p.hoist(what, parsed(""), at) : parsed(p.indent);
}
