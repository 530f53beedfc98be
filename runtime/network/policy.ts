import type { PolicyScalars } from "../plan/index.ts";
import type { Reply } from "../run/response.ts";
import type { JsonObject } from "../value/json.ts";
import { parseAddress } from "./addresses/address.ts";
import { ranges } from "./addresses/ranges.ts";
import { type Chain, chainOf, ipRecord, peerOf } from "./chain.ts";
import { everyAddress, isTrustedPeer, type Sight, seenIn, sourceOf } from "./client.ts";
import type { networkCounts } from "./counts.ts";
import { denial } from "./denial.ts";
import type { Caller, NetworkPolicy, PolicyRequest } from "./gate.ts";
import type { Bucket, Limit } from "./limits.ts";
import type { networkPlaces, Places } from "./places.ts";
import { type Level, type Origin, type Rules, rejected } from "./rules.ts";
import { problems, weakness } from "./start.ts";

/** A policy as a module prints it: what holds for all levels, and the rules of each. */
export interface PolicySpec extends PolicyScalars {
  /** Rules of the configuration, where the interface inherits them. */
  readonly config?: Rules;
  readonly interface?: Rules;
  /** The counts of admitted requests; absent where no rule limits them. */
  readonly counts?: typeof networkCounts;
  /** Places of addresses; absent when no rule and no marker needs them. */
  readonly places?: typeof networkPlaces;
}

/** The policy of one interface (spec/surfaces 9). It has no state of its own: the counts belong to the host. */
export function networkPolicy(spec: PolicySpec): NetworkPolicy {
  const { source = "client", trusted_proxies: proxies, mode = "enforce", on_deny } = spec;
  const sight: Sight = { source, proxies: proxies === undefined ? undefined : ranges(proxies) };
  const levels = levelsOf(spec);
  /** The outermost level that cannot be decided without an address. */
  const needsSource = levels.find(([, level]) => level.needsSource)?.[0];

  function judge(caller: Caller, request: PolicyRequest): Reply | undefined {
    const chain = chainOf(caller);
    const seen = seenIn(chain, sight);
    const text = sourceOf(chain, seen, source);
    const address = text === null ? undefined : parseAddress(text);
    const origin: Origin = { source: address, every: () => everyAddress(chain, seen), places: spec.places?.(request.host) };
    const counts = spec.counts?.(request.host);
    const admitted: (readonly [Bucket, Limit])[] = [];
    let denied: Reply | undefined;
    const reject = (rule: string, scope: string, wait?: number): boolean => {
      if (mode === "enforce") {
        request.denied?.(rule);
        denied = denial(on_deny, wait);
      } else
        request.host.log("warn", "network_policy", { rule, scope, source: text, interface: request.interface, config: request.config });
      return mode === "enforce";
    };

    if (address === undefined && needsSource !== undefined && reject("source", needsSource)) return denied;
    for (const [level, rules] of levels) {
      if (rejected(rules, origin, (rule) => reject(rule, level))) return denied;
      if (rules.limit === undefined || counts === undefined || address === undefined) continue;
      const bucket = counts.bucket(scopeOf(level, request), address);
      const wait = bucket.wait(rules.limit);
      if (wait > 0 && reject("rate_limit", level, wait)) return denied;
      admitted.push([bucket, rules.limit]);
    }
    // Only an admitted caller is counted, on every level at once.
    if (request.probe !== true) for (const [bucket, limit] of admitted) bucket.count(limit);
    return undefined;
  }

  return {
    judge,
    ip: (caller, host) => placedIp(chainOf(caller), sight, spec.places?.(host)),
    trusts: (peer) => sight.proxies !== undefined && isTrustedPeer(peerOf({ peer }), sight.proxies),
    start: (request) => {
      weakness(sight, levels, request);
      return problems({ levels, mode, places: spec.places?.(request.host) }, request);
    },
  };
}

/** The record of `a|ip|`: the addresses of a caller, and the place of the client where places are known. */
function placedIp(chain: Chain, sight: Sight, places: Places | undefined): JsonObject {
  const { client, realIp } = seenIn(chain, sight);
  const address = client === null || places === undefined ? undefined : parseAddress(client);
  const record = ipRecord(chain, client, realIp);
  if (places === undefined || address === undefined) return record;
  return { ...record, country: places.country(address) ?? null, asn: places.asn(address) ?? null };
}

function levelsOf({ config, interface: own }: PolicySpec): readonly Level[] {
  return [...(config === undefined ? [] : [["config", config] as const]), ...(own === undefined ? [] : [["interface", own] as const])];
}

/** The scope of a count: the configuration counts all its interfaces together. Names hold no NUL, so scopes cannot collide. */
const scopeOf = (level: Level[0], { config, interface: name }: PolicyRequest): string =>
  level === "config" ? config : `${config}\0${name}`;
