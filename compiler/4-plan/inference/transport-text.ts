import { filters } from "#runtime/features/filters/index.ts";
import type { Expr } from "#runtime/plan/index.ts";

/**
 * Roots whose values always arrive as text: query and route parameters, headers, the environment. Only a filter turns them into numbers.
 */
const roots: ReadonlySet<string> = new Set(["params", "headers", "env", "raw_body"]);
const ofRequest: ReadonlySet<unknown> = new Set(["params", "headers", "path", "method"]);

/** True when the value is a text even where a number is meant. */
export function isTransportText(expr: Expr): boolean {
  switch (expr.op) {
    case "root":
      return roots.has(expr.root);
    case "at":
      return isTransportText(expr.of) || (expr.of.op === "root" && expr.of.root === "request" && ofRequest.has(expr.path[0]));
    case "or":
      return isTransportText(expr.of);
    case "filter":
      if (filters[expr.use]?.text === true) return true;
      return (expr.use === "upper" || expr.use === "lower") && isTransportText(expr.of);
    case "text":
    case "join":
      return true;
    case "typed":
      return expr.as === "string";
    case "lit":
    case "action":
    case "data":
    case "item":
    case "given":
    case "count":
    case "each":
    case "jq":
    case "reread":
    case "start":
    case "list":
    case "map":
      return false;
  }
}
