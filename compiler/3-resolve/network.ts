import { duration } from "#runtime/lib/duration.ts";
import type { PolicyPlan, PolicyScalars, RulesPlan } from "#runtime/plan.ts";
import { type Entry, entriesOf, entry, flag, get, type Node, numberOf, plain, scalarText, textOf } from "../1-read/document.ts";
import { shape } from "../diagnostics/codes/file.ts";
import { network } from "../diagnostics/codes/network.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { addresses, countries, disjoint, networks } from "./network-lists.ts";

/** The policy of a configuration: its rules, and the scalars that interfaces take when they have none of their own. */
export interface ConfigPolicy {
  readonly rules: RulesPlan | undefined;
  readonly scalars: PolicyScalars;
  readonly node: Node | undefined;
}

export function configPolicy(node: Node | undefined, report: Report): ConfigPolicy {
  const inherit = entry(node, "inherit");
  if (inherit !== undefined) report(shape.noEffect("inherit"), inherit.keySpan);
  return { rules: rulesOf(node, report), scalars: scalarsOf(node, report), node };
}

/** The policy that holds for an interface: inherited rules only tighten, scalars of its own win (surfaces.md 9). Undefined: anybody may come. */
export function interfacePolicy(own: Entry | undefined, config: ConfigPolicy, report: Report): PolicyPlan | undefined {
  const node = own?.value;
  const inherit = get(node, "inherit");
  const inherits = !(inherit?.kind === "scalar" && inherit.value === false) && config.node !== undefined;
  const rules = rulesOf(node, report);
  const policy: PolicyPlan = {
    ...(inherits ? config.scalars : {}),
    ...scalarsOf(node, report),
    ...(inherits && config.rules !== undefined ? { inherits: true } : {}),
    ...(rules === undefined ? {} : { rules }),
  };
  // The word for enforcing is the default, but it may take back that of the configuration.
  const { mode, source, ...rest } = policy;
  const resolved: PolicyPlan = {
    ...(textOf(get(node, "mode")) === "enforce" || mode === undefined ? {} : { mode }),
    ...(textOf(get(node, "source")) === "client" || source === undefined ? {} : { source }),
    ...rest,
  };
  if (inherits && own !== undefined) {
    const apart = disjoint(config.rules, rules);
    if (apart !== undefined) report(network.nobody(apart), get(get(node, apart), "allow")?.span ?? own.keySpan);
  }
  if (Object.keys(resolved).length === 0) return undefined;
  return own === undefined ? resolved : { ...resolved, at: own.keySpan };
}

function scalarsOf(node: Node | undefined, report: Report): PolicyScalars {
  const source = textOf(get(node, "source"));
  const proxies = get(node, "trusted_proxies");
  const deny = get(node, "on_deny");
  return {
    ...(textOf(get(node, "mode")) === "monitor" ? { mode: "monitor" } : {}),
    ...(source === "socket" || source === "real_ip" ? { source } : {}),
    ...(proxies === undefined ? {} : { trusted_proxies: addresses(proxies, report) }),
    ...(deny === undefined ? {} : { on_deny: denyOf(deny, report) }),
  };
}

function denyOf(node: Node, report: Report): NonNullable<PolicyScalars["on_deny"]> {
  const status = numberOf(get(node, "status"));
  const body = get(node, "body");
  const headers = entriesOf(get(node, "headers")).flatMap((one) => headerOf(one, report));
  return {
    ...(status === undefined ? {} : { status }),
    ...(body === undefined ? {} : { body: plain(body) }),
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
  };
}

/** A header that HTTP can carry; a null value leaves it out. */
function headerOf({ key, keySpan, value }: Entry, report: Report): (readonly [string, string])[] {
  if (value.kind === "scalar" && value.value === null) return [];
  const text = scalarText(value);
  const fits = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(key) && text !== undefined && /^[\t\x20-\x7e]*$/.test(text);
  if (fits) return [[key.toLowerCase(), text]];
  report(network.header(key), keySpan);
  return [];
}

/** The rules of one level; undefined when there are none. */
function rulesOf(node: Node | undefined, report: Report): RulesPlan | undefined {
  const [ip, geo, asn, limit] = [get(node, "ip"), get(node, "geo"), get(node, "asn"), get(node, "rate_limit")];
  const rules: RulesPlan = {
    ...(ip === undefined ? {} : { ip: { ...listsOf(ip, (list) => addresses(list, report)), ...checkOf(ip) } }),
    ...(geo === undefined ? {} : { geo: { ...listsOf(geo, (list) => countries(list, report)), ...requiredOf(geo) } }),
    ...(asn === undefined ? {} : { asn: { ...listsOf(asn, networks), ...requiredOf(asn) } }),
    ...(limit === undefined ? {} : limitOf(limit, report)),
  };
  return Object.keys(rules).length === 0 ? undefined : rules;
}

function listsOf<V>(node: Node, read: (list: Node) => readonly V[]): { readonly allow?: readonly V[]; readonly deny?: readonly V[] } {
  const [allow, deny] = [get(node, "allow"), get(node, "deny")];
  return { ...(allow === undefined ? {} : { allow: read(allow) }), ...(deny === undefined ? {} : { deny: read(deny) }) };
}

const checkOf = (node: Node): { readonly deny_check?: "all" } => (textOf(get(node, "deny_check")) === "all" ? { deny_check: "all" } : {});

const requiredOf = (node: Node): { readonly require_resolution?: true } =>
  flag(node, "require_resolution") ? { require_resolution: true } : {};

const [shortest, longest] = [1_000, 86_400_000];

function limitOf(node: Node, report: Report): Pick<RulesPlan, "rate_limit"> {
  const burst = entry(node, "burst");
  if (burst !== undefined) report(shape.noEffect("burst"), burst.keySpan);
  const written = get(node, "window");
  const window = written === undefined ? 60_000 : (numberOf(written) ?? duration(scalarText(written) ?? "") ?? 0);
  const requests = numberOf(get(node, "requests"));
  if (window < shortest || window > longest) report(network.window(), written?.span ?? node.span);
  return requests === undefined ? {} : { rate_limit: { requests, window } };
}
