import type { Json } from "../value/json.ts";
import type { Span } from "./span.ts";

// The policies of an interface: who may reach it, and how often.

/** Rules of one level of a network policy, the configuration's or the interface's (spec/surfaces 9). Addresses are sorted and merged. */
export interface RulesPlan {
  readonly ip?: { readonly allow?: readonly string[]; readonly deny?: readonly string[]; readonly deny_check?: "all" };
  /** ISO 3166-1 alpha-2, upper case. */
  readonly geo?: { readonly allow?: readonly string[]; readonly deny?: readonly string[]; readonly require_resolution?: true };
  readonly asn?: { readonly allow?: readonly number[]; readonly deny?: readonly number[]; readonly require_resolution?: true };
  /** `window` in milliseconds. */
  readonly rate_limit?: { readonly requests: number; readonly window: number };
}

/** Settings of a policy as a whole: the interface's value if it has one, else the configuration's. Defaults are left out. */
export interface PolicyScalars {
  readonly mode?: "monitor";
  readonly source?: "socket" | "real_ip";
  readonly trusted_proxies?: readonly string[];
  readonly on_deny?: { readonly status?: number; readonly body?: Json; readonly headers?: Readonly<Record<string, string>> };
}

/** The network policy of one interface (spec/surfaces 9). */
export interface PolicyPlan extends PolicyScalars {
  /** The rules of the configuration apply, too. */
  readonly inherits?: true;
  readonly rules?: RulesPlan;
  /** True when a rule or a marker needs the country or the network of an address. */
  readonly places?: true;
  readonly at?: Span;
}
