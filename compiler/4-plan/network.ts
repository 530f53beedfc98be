import type { Expr, InterfacePlan, PolicyPlan, RulesPlan } from "#runtime/plan.ts";
import type { ResolvedInterface } from "../3-resolve/resolved.ts";
import { isLiteral } from "./mentions.ts";

/** The policy of an interface, and whether anything of it asks where addresses are: then the reader of such files is linked. */
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

/** True when a marker reads the country or the network of the caller, alone or with all of `ip`. */
function readsPlace(part: unknown): boolean {
  if (typeof part !== "object" || part === null || isLiteral(part)) return false;
  const at = part as Expr; // any other part has no `op` of this kind
  if (at.op === "at" && isIp(at.of)) return at.path[0] === "country" || at.path[0] === "asn";
  return isIp(at) || Object.values(part).some(readsPlace);
}

const isIp = (e: Expr): boolean => e.op === "root" && e.root === "ip";
