import type { Expr } from "#runtime/plan/index.ts";
import { roots } from "#runtime/run/marker-roots.ts";

/** True when no part of the value comes from a caller, an action or an upstream. A template is judged by the values in it. */
export function isConfigControlled(expr: Expr): boolean {
  switch (expr.op) {
    case "lit":
      return true;
    case "root":
      return roots[expr.root]?.config === true;
    case "action":
    case "data":
    case "item":
    case "given":
      return false;
    case "at":
    case "count":
    case "each":
    case "reread":
    case "typed":
    case "start":
      return isConfigControlled(expr.of);
    case "jq":
      return isConfigControlled(expr.of) && isConfigControlled(expr.filter) && expr.values.every(isConfigControlled);
    case "or":
      return isConfigControlled(expr.of) && isConfigControlled(expr.instead);
    case "filter":
      return isConfigControlled(expr.of) && expr.args.every(isConfigControlled);
    case "text":
      return expr.parts.every((part) => typeof part === "string" || isConfigControlled(part.of));
    case "join":
    case "list":
      return expr.items.every(isConfigControlled);
    case "map":
      return expr.entries.every(([key, value]) => (typeof key === "string" || isConfigControlled(key)) && isConfigControlled(value));
  }
}
