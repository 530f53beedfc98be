import type { RulesPlan } from "../plan/index.ts";
import type { Address } from "./addresses/address.ts";
import { type Ranges, ranges } from "./addresses/ranges.ts";
import type { Limit } from "./limits.ts";
import type { Places } from "./places.ts";

/** The rules of one level, in a form that is quick to check. An absent list is no rule; an empty `allow` admits no caller. */
export interface Rules {
  readonly ip: { readonly allow: Ranges | undefined; readonly deny: Ranges | undefined; readonly checksAll: boolean };
  readonly geo: PlaceRule<string> | undefined;
  readonly asn: PlaceRule<number> | undefined;
  readonly limit: Limit | undefined;
  /** True when a rule cannot be decided without the address of the caller. */
  readonly needsSource: boolean;
}

/** The levels of a policy, outermost first. */
export type Level = readonly [name: "config" | "interface", rules: Rules];

interface PlaceRule<V> {
  readonly allow: ReadonlySet<V> | undefined;
  readonly deny: ReadonlySet<V>;
  readonly required: boolean;
}

/** Stage 1 of a level: its lists become sets, once for all interfaces that it applies to. */
export function networkRules({ ip = {}, geo, asn, rate_limit: limit }: RulesPlan): Rules {
  const allows = ip.allow !== undefined || geo?.allow !== undefined || asn?.allow !== undefined;
  return {
    ip: {
      allow: ip.allow === undefined ? undefined : ranges(ip.allow),
      deny: ip.deny === undefined ? undefined : ranges(ip.deny),
      checksAll: ip.deny_check === "all",
    },
    geo: geo === undefined ? undefined : placeRule(geo),
    asn: asn === undefined ? undefined : placeRule(asn),
    limit,
    needsSource: allows || limit !== undefined || geo?.require_resolution === true || asn?.require_resolution === true,
  };
}

function placeRule<V>(spec: {
  readonly allow?: readonly V[];
  readonly deny?: readonly V[];
  readonly require_resolution?: true;
}): PlaceRule<V> {
  return {
    allow: spec.allow === undefined ? undefined : new Set(spec.allow),
    deny: new Set(spec.deny),
    required: spec.require_resolution === true,
  };
}

/** The facts about a caller that rules look at. */
export interface Origin {
  /** Undefined: the request names no address that can be read. */
  readonly source: Address | undefined;
  /** Every address of the request; asked for only by `deny_check: all`. */
  readonly every: () => readonly Address[];
  readonly places: Places | undefined;
}

/**
 * Calls `reject` with the name of each rule that turns the caller away, in the order of the rules, until `reject` gives true; then the
 * result is true. Rules behind that are not checked, which saves their time (spec/surfaces 9).
 */
export function rejected(level: Rules, { source, every, places }: Origin, reject: (rule: string) => boolean): boolean {
  const { ip, geo, asn } = level;
  if (isDenied(ip, source, every) && reject("ip.deny")) return true;
  if (source === undefined) return false;
  const country = geo === undefined ? undefined : places?.country(source);
  const network = asn === undefined ? undefined : places?.asn(source);
  if (geo !== undefined && isDeniedPlace(geo, country) && reject("geo.deny")) return true;
  if (asn !== undefined && isDeniedPlace(asn, network) && reject("asn.deny")) return true;
  if (ip.allow?.has(source) === false && reject("ip.allow")) return true;
  if (country !== undefined && geo?.allow?.has(country) === false && reject("geo.allow")) return true;
  return network !== undefined && asn?.allow?.has(network) === false && reject("asn.allow");
}

function isDenied({ deny, checksAll }: Rules["ip"], source: Address | undefined, every: Origin["every"]): boolean {
  if (deny === undefined) return false;
  if (source !== undefined && deny.has(source)) return true;
  return checksAll && every().some((address) => deny.has(address));
}

/** True when a place is denied. When the place is unknown, `require_resolution` decides, and both lists are ignored. */
const isDeniedPlace = <V>({ deny, required }: PlaceRule<V>, place: V | undefined): boolean =>
  place === undefined ? required : deny.has(place);
