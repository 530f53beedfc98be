import type { ConfigPlan, InterfacePlan, PolicyPlan, RulesPlan } from "#runtime/plan/index.ts";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { block, type Code, code, empty, type Line, lines, lit, pair, property } from "./code.ts";
import { texts } from "./exprs.ts";
import type { ModulePlace } from "./place.ts";

/** The network policies of a module: constants that interfaces share, and the policy of each. */
export interface PrintedPolicies {
  readonly shared: readonly Line[];
  readonly of: (target: InterfacePlan) => Code | undefined;
}

/** Prints the policies. Interfaces without a policy of their own share one constant, and inherited rules are prepared only once. */
export function printPolicies(plan: ConfigPlan, m: ModulePlace): PrintedPolicies {
  const inherits = plan.interfaces.some(({ network }) => network?.inherits);
  const config = inherits && plan.network !== undefined ? m.names.fresh("network_rules") : undefined;
  const shared: Line[] = [];
  if (config !== undefined && plan.network !== undefined) {
    shared.push(
      { text: empty },
      { text: code`/** network: the rules that interfaces inherit */` },
      ...lines(code`const ${config} = ${printedRules(plan.network, m, "")};`),
    );
  }
  const place = { m, config, configLimited: plan.network?.rate_limit !== undefined };
  const policies = new Map<string, Code>();
  for (const [text, group] of Map.groupBy(plan.interfaces, ({ network }) => keyOf(network))) {
    const [first, second] = group;
    if (first?.network === undefined || second === undefined) continue;
    const name = m.names.fresh("network");
    policies.set(text, name);
    shared.push({ text: empty }, ...lines(code`const ${name} = ${printedPolicy(first.network, place, "")};`));
  }
  const of = ({ network }: InterfacePlan): Code | undefined =>
    network === undefined ? undefined : (policies.get(keyOf(network)) ?? printedPolicy(network, place, ""));
  return { shared, of };
}

/** Policies with equal content share one constant. */
const keyOf = (policy: PolicyPlan | undefined): string => JSON.stringify({ ...policy, at: undefined });

interface PolicyPlace {
  readonly m: ModulePlace;
  /** The constant with the rules of the configuration. */
  readonly config: Code | undefined;
  readonly configLimited: boolean;
}

function printedPolicy(policy: PolicyPlan, { m, config, configLimited }: PolicyPlace, indent: string): Code {
  const { imports } = m;
  const { mode, source, trusted_proxies, on_deny, inherits, rules, places } = policy;
  const inner = `${indent}  `;
  const fields: Code[] = [];
  if (mode !== undefined) fields.push(code`mode: ${lit(mode)}`);
  if (source !== undefined) fields.push(code`source: ${lit(source)}`);
  if (trusted_proxies !== undefined) fields.push(pair(property("trusted_proxies"), list(trusted_proxies, inner)));
  if (on_deny !== undefined) fields.push(pair(property("on_deny"), lit(asJson(on_deny), inner, texts(m))));
  if (inherits && config !== undefined) fields.push(code`config: ${config}`);
  if (rules !== undefined) fields.push(code`interface: ${printedRules(rules, m, inner)}`);
  if (rules?.rate_limit !== undefined || (inherits && configLimited)) fields.push(code`counts: ${imports.use("networkCounts")}`);
  if (places) fields.push(code`places: ${imports.use("networkPlaces")}`);
  return code`${imports.use("networkPolicy")}(${block("{", fields, "}", indent)})`;
}

function printedRules({ ip, geo, asn, rate_limit }: RulesPlan, m: ModulePlace, indent: string): Code {
  const inner = `${indent}  `;
  const fields: Code[] = [];
  for (const [name, rule] of [
    ["ip", ip],
    ["geo", geo],
    ["asn", asn],
  ] as const) {
    if (rule !== undefined) fields.push(code`${property(name)}: ${record(asJson(rule), inner)}`);
  }
  if (rate_limit !== undefined) fields.push(code`rate_limit: ${lit(asJson(rate_limit))}`);
  return code`${m.imports.use("networkRules")}(${fields.length === 0 ? code`{}` : block("{", fields, "}", indent)})`;
}

/** Prints a record with one field on each line, so that a diff shows the changed list. */
function record(rule: JsonObject, indent: string): Code {
  const inner = `${indent}  `;
  const fields = Object.entries(rule).map(([key, value]) => pair(property(key), Array.isArray(value) ? list(value, inner) : lit(value)));
  return fields.length === 0 ? code`{}` : block("{", fields, "}", indent);
}

/** Prints a list. A list with more than a few items has one item on each line. */
function list(items: readonly Json[], indent: string): Code {
  return items.length > 4
    ? block(
        "[",
        items.map((item) => lit(item)),
        "]",
        indent,
      )
    : lit([...items]);
}

/** Records of a plan are plain data. */
const asJson = (value: object): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;
