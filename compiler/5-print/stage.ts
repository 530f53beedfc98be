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
  const prepared = (indent: string): Code => {
    const inner = { ...p, indent };
    const { text, values } = filterArgument(args);
    const filter = kind === "transforms" && p.features.takesJq(feature) ? compiledJq(text, values, inner) : undefined;
    return code`${p.imports.prepare(kind, feature)}(${list([expr(args, inner), ...(filter === undefined ? [] : [filter])])})`;
  };
  return args.op === "lit" ? p.hoist(`${label}_${feature}`, prepared(""), at) : prepared(p.indent);
}

/** A path of a transform, parsed once when it is static. */
export function pathOf(target: Expr, what: string, at: Span | undefined, p: ActionPlace): Code {
  const parsed = (indent: string): Code => code`${p.imports.helper("lib/path.ts", "nodePath")}(${expr(target, { ...p, indent })})`;
  return target.op === "lit" ? p.hoist(what, parsed(""), at) : parsed(p.indent);
}
