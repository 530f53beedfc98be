import { filters } from "#runtime/features/filters/index.ts";
import type { Expr } from "#runtime/plan/index.ts";

/**
 * Roots whose values always arrive as text: query and route parameters, headers, the environment. Only a filter turns them into numbers.
 */
const textRoots: ReadonlySet<string> = new Set(["params", "headers", "env", "raw_body"]);
const ofRequest: ReadonlySet<unknown> = new Set(["params", "headers", "path", "method"]);

/** True for a filter that gives a text whatever it gets. */
export const givesText = (filter: string): boolean => filters[filter]?.text === true;

/** True for a filter that gives the text that it gets in capitals or in small letters. */
export const changesCase = (filter: string): boolean => filter === "upper" || filter === "lower";

/** True when the value is a text even where a number is meant. */
export function isSurelyText(expr: Expr): boolean {
  switch (expr.op) {
    case "root":
      return textRoots.has(expr.root);
    case "at":
      return isSurelyText(expr.of) || (expr.of.op === "root" && expr.of.root === "request" && ofRequest.has(expr.path[0]));
    case "or":
      return isSurelyText(expr.of);
    case "filter":
      return givesText(expr.use) || (changesCase(expr.use) && isSurelyText(expr.of));
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
