import { policySettings, rulesSettings } from "../start/network.ts";
import type { JsonObject } from "../value/json.ts";
import type { NetworkPolicy } from "./gate.ts";
import { networkPolicy, type PolicySpec } from "./policy.ts";
import { networkRules } from "./rules.ts";

/** The policy of an interface whose fields were read at the start: its own record and that of the configuration. */
export function startPolicy(
  own: JsonObject | undefined,
  config: JsonObject | undefined,
  parts: Pick<PolicySpec, "counts" | "places">,
): NetworkPolicy | undefined {
  const policy = policySettings(own, config);
  if (policy === undefined && parts.places === undefined) return undefined;
  const { inherits, rules, ...scalars } = policy ?? {};
  const outer = inherits ? rulesSettings(config) : undefined;
  return networkPolicy({
    ...scalars,
    ...(outer === undefined ? {} : { config: networkRules(outer) }),
    ...(rules === undefined ? {} : { interface: networkRules(rules) }),
    ...parts,
  });
}
