import type { Expr } from "#runtime/plan/index.ts";
import { roots } from "#runtime/run/marker-roots.ts";
import { innerOf } from "../markers/inner.ts";

/** True when no part of the value comes from a caller, an action or an upstream. A template is judged by the values in it. */
export function isConfigControlled(e: Expr): boolean {
  switch (e.op) {
    case "root":
      return roots[e.root]?.config === true;
    case "action":
    case "data":
    case "item":
    case "given":
      return false;
    case "lit":
    case "at":
    case "count":
    case "each":
    case "or":
    case "filter":
    case "jq":
    case "text":
    case "join":
    case "reread":
    case "typed":
    case "start":
    case "list":
    case "map":
      return innerOf(e).every(isConfigControlled);
  }
}
