import type { Expr, InterfacePlan, InterfaceStartPlan, PolicyPlan, RulesPlan } from "#runtime/plan/index.ts";
import { entry, get, type Node } from "../../1-read/document.ts";
import { isStarted } from "../../2-check/started.ts";
import type { ResolvedInterface } from "../../3-resolve/resolved.ts";
import { lower } from "../lower/values.ts";
import { isExpr, partsOf } from "../markers/mentions.ts";
import type { Lowering } from "../markers/scope.ts";

/** The record of a policy as it is read at the start. */
export const lowerPolicy = (node: Node, cx: Lowering): Expr => lower(node, { $ref: "#/$defs/NetworkPolicy" }, cx);

/** The policy of an interface, when one of its values, or of the inherited policy, is read as the process starts. */
export function planStartedNetwork(
  { node }: ResolvedInterface,
  config: Node | undefined,
  plan: Pick<InterfacePlan, "actions" | "params" | "response">,
  cx: Lowering,
): InterfaceStartPlan["network"] {
  const own = get(node, "network");
  const inherit = get(own, "inherit");
  const inherited = inherit?.kind === "scalar" && inherit.value === false ? undefined : config;
  if (!isStarted(own) && !isStarted(inherited)) return undefined;
  const has = (key: string): boolean => [own, inherited].some((level) => entry(level, key) !== undefined);
  return {
    ...(own === undefined ? {} : { own: lowerPolicy(own, cx) }),
    inherits: inherited !== undefined,
    limited: has("rate_limit"),
    places: has("geo") || has("asn") || readsPlace(plan),
  };
}

/** The policy of an interface, and whether it needs the countries and networks of addresses. If so, the reader of such files is linked. */
export function planNetwork(
  { network, span }: ResolvedInterface,
  inherited: RulesPlan | undefined,
  plan: Pick<InterfacePlan, "actions" | "params" | "response">,
): PolicyPlan | undefined {
  const levels = [network?.inherits ? inherited : undefined, network?.rules];
  const asks = levels.some((rules) => rules?.geo !== undefined || rules?.asn !== undefined) || readsPlace(plan);
  if (!asks) return network;
  return { ...network, places: true, at: network?.at ?? span };
}

/** True when a marker reads the country or the network of the caller, or the whole root `ip`. */
function readsPlace(part: unknown): boolean {
  if (isExpr(part, "at") && isIp(part.of)) return part.path[0] === "country" || part.path[0] === "asn";
  return isIp(part) || partsOf(part).some(readsPlace);
}

const isIp = (part: unknown): boolean => isExpr(part, "root") && part.root === "ip";
