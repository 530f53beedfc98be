import type { RulesPlan } from "#runtime/plan/policies.ts";
import { isObject, type Json } from "#runtime/value/json.ts";
import { type Change, type Facet, type Fact, fact, type Severity, shown } from "../fact.ts";

/** The network policy of an interface: its own rules, and those that it inherits. */
export const policy: Facet = {
  name: "policy",
  read: ({ network, start, at }, config) => {
    const place = network?.at ?? at;
    const { mode, source, trusted_proxies, on_deny } = network ?? {};
    return [
      ...rulesOf("", network?.rules),
      ...rulesOf("inherited ", network?.inherits === true ? config.network : undefined),
      ...fact("mode", mode, place),
      ...fact("source", source, place),
      ...fact("trusted_proxies", trusted_proxies, place),
      ...fact("on_deny", on_deny, place),
      ...fact("network, read at the start", start?.network, place),
    ].map((one) => ({ ...one, ...(place && { at: place }) }));
  },
  judge: (change) => {
    const { key, before, after } = change;
    const severity = severityOf(change);
    if (after === undefined) return { severity, text: `policy: ${key} ${shown(before)} is gone` };
    return { severity, text: `policy: ${key} is ${shown(after)}${before === undefined ? "" : `, was ${shown(before)}`}` };
  },
};

function rulesOf(level: string, rules: RulesPlan | undefined): readonly Fact[] {
  const { ip, geo, asn, rate_limit } = rules ?? {};
  const all = { ip, geo, asn };
  return [
    ...Object.entries(all).flatMap(([kind, rule = {}]) =>
      Object.entries(rule).flatMap(([name, value]) => fact(`${level}${kind}.${name}`, value, undefined)),
    ),
    ...fact(`${level}rate_limit`, rate_limit, undefined),
  ];
}

/** The severity of a changed rule, which may admit more callers, or fewer. */
function severityOf({ key, before, after }: Change): Severity {
  const loosens = (is: boolean): Severity => (is ? "loosened" : "tightened");
  if (/\.allow$/.test(key)) return loosens(after === undefined || (before !== undefined && gains(before, after)));
  if (/\.deny$/.test(key)) return loosens(before !== undefined && gains(after ?? [], before));
  if (/rate_limit$/.test(key)) return loosens(after === undefined || (before !== undefined && rate(after) > rate(before)));
  if (/require_resolution$|deny_check$/.test(key)) return loosens(after === undefined);
  switch (key) {
    case "mode":
      return loosens(after === "monitor");
    case "source":
      return loosens(after === "real_ip");
    case "trusted_proxies":
      return loosens(gains(before ?? [], after ?? []));
    case "on_deny":
      return "changed";
    default:
      return "loosened";
  }
}

/** True when the second list has an entry that the first does not have. */
const gains = (first: Json, second: Json): boolean =>
  Array.isArray(first) && Array.isArray(second) && second.some((entry) => !first.includes(entry));

const rate = (limit: Json): number => (isObject(limit) ? Number(limit.requests) / Number(limit.window) : 0);
