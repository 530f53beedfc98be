import type { InterfacePlan } from "#runtime/plan.ts";
import { flag, get, type Node, scalarText } from "../1-read/document.ts";

/** The triggers of an interface whose clients stay connected, and who may use them (surfaces.md 3). Without such a trigger the rest says nothing. */
export function planRealtime(node: Node): Pick<InterfacePlan, "ws" | "public" | "subscribe_authorizer"> {
  if (scalarText(get(node, "ws")) === undefined) return {};
  const authorizer = scalarText(get(node, "subscribe_authorizer"));
  return {
    ws: true,
    ...(flag(node, "public") ? { public: true } : {}),
    ...(authorizer === undefined ? {} : { subscribe_authorizer: authorizer }),
  };
}
