import { parseRange, type Range } from "../network/addresses/address.ts";
import { merged, rangeTexts } from "../network/addresses/ranges.ts";
import type { PolicyPlan, PolicyScalars, RulesPlan } from "../plan/policies.ts";
import { duration } from "../value/duration.ts";
import { isObject, type Json, type JsonObject } from "../value/json.ts";

/** `network` of a configuration or an interface as it is written, with each value in its form. */
export type WrittenPolicy = JsonObject | undefined;

/**
 * The policy of an interface: inherited rules can only become stricter, and scalars of the interface win (spec/surfaces 9). Undefined when
 * every caller is admitted.
 */
export function policySettings(own: WrittenPolicy, config: WrittenPolicy): Omit<PolicyPlan, "places" | "at"> | undefined {
  const inherits = own?.inherit !== false && config !== undefined;
  const [outer, rules] = [inherits ? rulesSettings(config) : undefined, rulesSettings(own)];
  const scalars = { ...(inherits ? scalarSettings(config) : {}), ...scalarSettings(own) };
  // `enforce` is the default, but it must be kept where it overrides the mode of the configuration.
  const { mode, source, ...rest } = scalars;
  const policy = {
    ...(own?.mode === "enforce" || mode === undefined ? {} : { mode }),
    ...(own?.source === "client" || source === undefined ? {} : { source }),
    ...rest,
    ...(outer === undefined ? {} : { inherits: true as const }),
    ...(rules === undefined ? {} : { rules }),
  };
  return Object.keys(policy).length === 0 ? undefined : policy;
}

function scalarSettings(policy: WrittenPolicy): PolicyScalars {
  const { mode, source, trusted_proxies: proxies, on_deny: deny } = policy ?? {};
  return {
    ...(mode === "monitor" ? { mode } : {}),
    ...(source === "socket" || source === "real_ip" ? { source } : {}),
    ...(Array.isArray(proxies) ? { trusted_proxies: addresses(proxies) } : {}),
    ...(isRecord(deny) ? { on_deny: denySettings(deny) } : {}),
  };
}

function denySettings({ status, body, headers }: JsonObject): NonNullable<PolicyScalars["on_deny"]> {
  const scalars = Object.entries(isRecord(headers) ? headers : {}).filter(([, value]) => value !== null && typeof value !== "object");
  return {
    ...(typeof status === "number" ? { status } : {}),
    ...(body === undefined || body === null ? {} : { body }),
    ...(scalars.length === 0 ? {} : { headers: Object.fromEntries(scalars.map(([name, value]) => [name.toLowerCase(), String(value)])) }),
  };
}

/** The rules of one level; undefined when there are none. */
export function rulesSettings(policy: WrittenPolicy): RulesPlan | undefined {
  const { ip, geo, asn, rate_limit: limit } = policy ?? {};
  const rules: RulesPlan = {
    ...(isRecord(ip) ? { ip: { ...lists(ip, addresses), ...(ip.deny_check === "all" ? { deny_check: "all" } : {}) } } : {}),
    ...(isRecord(geo) ? { geo: { ...lists(geo, countries), ...required(geo) } } : {}),
    ...(isRecord(asn) ? { asn: { ...lists(asn, networks), ...required(asn) } } : {}),
    ...(isRecord(limit) ? limitSettings(limit) : {}),
  };
  return Object.keys(rules).length === 0 ? undefined : rules;
}

const isRecord = (value: Json | undefined): value is JsonObject => value !== undefined && isObject(value);

function lists<V>(
  rule: JsonObject,
  read: (list: readonly Json[]) => readonly V[],
): { readonly allow?: readonly V[]; readonly deny?: readonly V[] } {
  const { allow, deny } = rule;
  return { ...(Array.isArray(allow) ? { allow: read(allow) } : {}), ...(Array.isArray(deny) ? { deny: read(deny) } : {}) };
}

const required = (rule: JsonObject): { readonly require_resolution?: true } =>
  rule.require_resolution === true ? { require_resolution: true } : {};

/** The window in milliseconds, a minute by default. */
export const windowOf = (value: Json | undefined): number =>
  typeof value === "number" ? value : typeof value === "string" ? (duration(value) ?? 0) : 60_000;

function limitSettings({ requests, window }: JsonObject): Pick<RulesPlan, "rate_limit"> {
  return typeof requests === "number" ? { rate_limit: { requests, window: windowOf(window) } } : {};
}

// Lists are sorted and have no duplicates, so that the printed module does not depend on how they were written.

/** Addresses and ranges, merged where they touch. */
function addresses(list: readonly Json[]): readonly string[] {
  const all = list.flatMap((item): Range[] => {
    const range = parseRange(String(item ?? ""));
    return range === undefined ? [] : [range];
  });
  return rangeTexts(merged(all));
}

/** Codes of countries, in upper case. */
const countries = (list: readonly Json[]): readonly string[] => [...new Set(list.map((item) => String(item).trim().toUpperCase()))].sort();

/** Numbers of autonomous systems. */
const networks = (list: readonly Json[]): readonly number[] =>
  [...new Set(list.flatMap((item) => (typeof item === "number" ? item : [])))].sort((a, b) => a - b);
