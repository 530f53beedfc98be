import { hash } from "node:crypto";
import type { Json } from "#runtime/value/json.ts";
import type { AnalysedInterface, AnalysedPlan } from "../5-analyse/analysed.ts";
import { authenticationOf } from "../5-analyse/authentication.ts";
import { type Entrance, entrancesOf } from "../5-analyse/entrances.ts";
import { present } from "../present.ts";
import { facets } from "./facets/index.ts";
import type { Facet, Fact } from "./fact.ts";

/** The facts of one facet, by key. */
export type Facts = Readonly<Record<string, readonly Fact[]>>;

/** An interface, or a configuration by itself, in the form for a review. */
export interface Reviewed {
  readonly config: string;
  /** Absent for the configuration. */
  readonly interface?: string;
  readonly route?: string;
  /** True when a test of the interface authenticates the caller. */
  readonly proves?: boolean;
  /** True when callers can start its runs: by a route, a socket, a topic, a tool or another trigger. A schedule has no caller. */
  readonly hasCallers?: boolean;
  readonly file: string;
  readonly at?: Fact["at"];
  readonly facts: Facts;
}

export function reviewedInterface(target: AnalysedInterface, config: AnalysedPlan): Reviewed {
  const { route, method, at } = target;
  return {
    config: config.name,
    interface: target.name,
    ...(route === undefined ? {} : { route: `${method} ${route}` }),
    proves: authenticationOf(target).proofs.length > 0,
    hasCallers: entrancesOf(target).some(({ kind }) => byCallers[kind]),
    file: config.file,
    ...(at && { at }),
    facts: Object.fromEntries(facets.flatMap((facet) => factsOf(facet, facet.read?.(target, config)))),
  };
}

/** For each kind of entrance, true if a caller outside the service starts the run. */
const byCallers: Readonly<Record<Entrance["kind"], boolean>> = {
  http: true,
  ws: true,
  mqtt: true,
  mcp: true,
  trigger: true,
  schedule: false,
  cli: false,
  interfaces: false,
};

export const reviewedConfig = (config: AnalysedPlan): Reviewed => ({
  config: config.name,
  file: config.file,
  facts: Object.fromEntries(facets.flatMap((facet) => factsOf(facet, facet.readConfig?.(config)))),
});

/** Keys of one facet are unique: of facts with one key the later ones are numbered. */
function factsOf({ name }: Facet, found: readonly Fact[] | undefined): readonly (readonly [string, readonly Fact[]])[] {
  if (found === undefined || found.length === 0) return [];
  const seen = new Map<string, number>();
  const unique = found.map((one) => {
    const count = (seen.get(one.key) ?? 0) + 1;
    seen.set(one.key, count);
    return count === 1 ? one : { ...one, key: `${one.key} (${count})` };
  });
  return [[name, unique]];
}

/** All parts of a project that a review compares. */
export const reviewedOf = (plans: readonly AnalysedPlan[]): readonly Reviewed[] =>
  plans.flatMap((plan) => [reviewedConfig(plan), ...plan.interfaces.map((target) => reviewedInterface(target, plan))]);

/** The facts in the form of a manifest: without places, and with hashes of long or private values. */
export function inManifest({ facts, proves, hasCallers }: Reviewed): Json {
  const entries = Object.entries(facts).map(([name, list]) => {
    const isHashed = facets.find((facet) => facet.name === name)?.hashed === true;
    return [name, Object.fromEntries(list.map(({ key, value }) => [key, isHashed ? hashed(value) : value]))] as const;
  });
  return {
    ...present({ proves, reached: hasCallers }),
    ...Object.fromEntries(entries),
  };
}

const digest = (value: Json): string => hash("sha256", JSON.stringify(value)).slice(0, 16);

/** The members of a record are hashed one by one, so that a comparison can name them. */
export const hashed = (value: Json): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, digest(member)]))
    : digest(value);
