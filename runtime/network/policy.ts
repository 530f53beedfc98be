import type { JsonObject } from "../json.ts";
import { type Address, parseAddress } from "../lib/address.ts";
import { ranges } from "../lib/ranges.ts";
import type { PolicyScalars } from "../plan.ts";
import type { Reply } from "../reply.ts";
import { chainOf, ipRecord } from "./chain.ts";
import { everyAddress, type Sight, seenIn, sourceOf } from "./client.ts";
import type { networkCounts } from "./counts.ts";
import { denial } from "./denial.ts";
import type { Asked, Caller, NetworkPolicy } from "./gate.ts";
import type { Counts } from "./limits.ts";
import type { networkPlaces } from "./places.ts";
import { type Origin, type Rules, rejections } from "./rules.ts";
import { problems, weakness } from "./start.ts";

/** A policy as a module prints it: what holds for all levels, and the rules of each. */
export interface PolicySpec extends PolicyScalars {
  /** Rules of the configuration, where the interface inherits them. */
  readonly config?: Rules;
  readonly interface?: Rules;
  /** What was admitted; absent where no rule limits it. */
  readonly counts?: typeof networkCounts;
  /** Where an address is; absent where no rule and no marker asks for it. */
  readonly places?: typeof networkPlaces;
}

/** The levels of a policy, outermost first. */
export type Level = readonly [name: "config" | "interface", rules: Rules];

/** A rule that turns a caller away. `wait`: milliseconds until the same request would be let in. */
interface Match {
  readonly rule: string;
  readonly level: string;
  readonly wait?: number;
}

/** The policy of one interface (surfaces.md 9). It has no state of its own: what it counts is the host's. */
export function networkPolicy(spec: PolicySpec): NetworkPolicy {
  const { source = "client", trusted_proxies: proxies, mode = "enforce", on_deny } = spec;
  const sight: Sight = { source, proxies: proxies === undefined ? undefined : ranges(proxies) };
  const levels = levelsOf(spec);
  const needsSource = levels.some(([, level]) => level.needsSource);

  function judge(caller: Caller, asked: Asked): Reply | undefined {
    const chain = chainOf(caller);
    const seen = seenIn(chain, sight);
    const text = sourceOf(chain, seen, source);
    const address = text === null ? undefined : parseAddress(text);
    const origin: Origin = { source: address, every: () => everyAddress(chain, seen), places: spec.places?.(asked.host) };
    const admitted = spec.counts?.(asked.host);
    for (const match of matches({ levels, needsSource, admitted }, origin, asked)) {
      if (mode === "enforce") {
        asked.denied?.(match.rule);
        return denial(on_deny, match.wait);
      }
      const { rule, level } = match;
      asked.host.log("info", "network_policy", { rule, level, source: text, interface: asked.interface, config: asked.config });
    }
    if (admitted !== undefined && address !== undefined && asked.probe !== true) count(levels, admitted, address, asked);
    return undefined;
  }

  function ip(caller: Caller, host: Asked["host"]): JsonObject {
    const chain = chainOf(caller);
    const { client, realIp } = seenIn(chain, sight);
    const found = spec.places?.(host);
    const address = client === null || found === undefined ? undefined : parseAddress(client);
    const known = ipRecord(chain, client, realIp);
    if (found === undefined || address === undefined) return known;
    return { ...known, country: found.country(address) ?? null, asn: found.asn(address) ?? null };
  }

  return {
    judge,
    ip,
    start: (asked) => {
      weakness(sight, levels, asked);
      return problems({ levels, mode, places: spec.places?.(asked.host) }, asked);
    },
  };
}

function levelsOf({ config, interface: own }: PolicySpec): readonly Level[] {
  return [...(config === undefined ? [] : [["config", config] as const]), ...(own === undefined ? [] : [["interface", own] as const])];
}

/** What a request is held against. */
interface Held {
  readonly levels: readonly Level[];
  readonly needsSource: boolean;
  readonly admitted: Counts | undefined;
}

/** Level by level; a source that is no address is turned away as soon as anything depends on it. */
function* matches({ levels, needsSource, admitted }: Held, origin: Origin, asked: Asked): Generator<Match> {
  const { source } = origin;
  if (source === undefined && needsSource) yield { rule: "source", level: levels.find(([, { needsSource }]) => needsSource)?.[0] ?? "" };
  for (const [level, rules] of levels) {
    for (const rule of rejections(rules, origin)) yield { rule, level };
    if (rules.limit === undefined || admitted === undefined || source === undefined) continue;
    const wait = admitted.wait(scopeOf(level, asked), source, rules.limit);
    if (wait > 0) yield { rule: "rate_limit", level, wait };
  }
}

/** Only who is let in is counted, on every level at once. */
function count(levels: readonly Level[], admitted: Counts, source: Address, asked: Asked): void {
  for (const [level, { limit }] of levels) {
    if (limit !== undefined) admitted.count(scopeOf(level, asked), source, limit);
  }
}

/** The configuration counts all its interfaces together. Names hold no NUL. */
const scopeOf = (level: Level[0], { config, interface: name }: Asked): string => (level === "config" ? config : `${config}\0${name}`);
