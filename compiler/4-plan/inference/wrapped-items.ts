import type { ActionListPlan, Expr } from "#runtime/plan/index.ts";
import { entry, type Node } from "../../1-read/document.ts";
import { flow } from "../../diagnostics/codes/flow.ts";
import { isExpr, isOp, partsOf } from "../markers/mentions.ts";
import type { Lowering } from "../markers/scope.ts";

/** Warns when `lookup_inherit` wraps items that are no objects, and an action still reads the item as if it were not wrapped (PW386). */
export function checkWrapped(node: Node, over: Expr, body: ActionListPlan, cx: Lowering): void {
  const inherit = entry(node, "lookup_inherit") ?? entry(node, "lookup_inherit_jq");
  if (inherit !== undefined && areScalars(over, cx) && readsWhole(body)) cx.report(flow.wrapped(inherit.key), inherit.keySpan);
}

/** True when the list is written in the configuration, here or as `json_output` of an action, and holds neither objects nor lists. */
function areScalars(over: Expr, { scope }: Lowering): boolean {
  switch (over.op) {
    case "lit":
      return Array.isArray(over.value) && over.value.length > 0 && over.value.every((item) => typeof item !== "object" || item === null);
    case "list":
      return (
        over.items.length > 0 &&
        over.items.every((item) => item.op === "text" || item.op === "join" || (item.op === "lit" && typeof item.value !== "object"))
      );
    case "action": {
      const action = over.up === undefined ? scope.nodes.get(over.name) : undefined;
      const output = entry(action, "post_transforms") === undefined ? entry(action, "json_output")?.value : undefined;
      return output?.kind === "list" && output.items.length > 0 && output.items.every(isPlain);
    }
    default:
      return false;
  }
}

/** True for a scalar that is no marker. The value of a marker may be an object. */
const isPlain = (item: Node): boolean => item.kind === "scalar" && !(typeof item.value === "string" && /^\s*a\|/.test(item.value));

/** True when the body is read without a path into it. Inside an inner loop the body is the item of the inner loop, so it does not count. */
function readsWhole(part: unknown): boolean {
  if (isExpr(part, "root")) return part.root === "body";
  if ((isExpr(part, "at") || isExpr(part, "each")) && isExpr(part.of, "root")) return false;
  return partsOf(part).some((each) => !(isOp(part, "lookup") && each === part.body) && readsWhole(each));
}
