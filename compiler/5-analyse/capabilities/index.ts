import type { Capabilities, Capability, CapabilityKind } from "#runtime/plan/capabilities.ts";
import type { ActionListPlan, ActionPlan, ConfigPlan, Expr, InterfacePlan, Op, Span } from "#runtime/plan/index.ts";
import { inLoop, ofRequest, provenanceAfter, type Sources } from "../../4-plan/inference/provenance.ts";
import { isExpr, partsOf } from "../../4-plan/markers/mentions.ts";
import { present } from "../../present.ts";
import { everyTest } from "../uses.ts";
import { touchedBy } from "./calls.ts";
import { hostsOf } from "./hosts.ts";
import { isUnset, member } from "./member.ts";
import { namesOf } from "./names.ts";
import { stored } from "./state-keys.ts";
import { touchedByStore } from "./stores.ts";
import { channelOf } from "./stream-channel.ts";
import { tablesOfQuery } from "./tables.ts";
import type { Touched } from "./touched.ts";
import { withVariables } from "./variables.ts";

/** A thing outside that an interface touches, and the place in the file that says so. */
export interface PlacedTouch extends Touched {
  readonly at?: Span;
  /** True for the record of the run itself, which every run writes. */
  readonly isRecord?: true;
}

/** The kinds in the order of the manifest. */
export const capabilityKinds: readonly CapabilityKind[] = [
  ...(["hosts", "tables", "commands", "channels", "topics", "mail_servers", "mail_senders", "mail_recipients"] as const),
  ...(["tools", "secrets", "state", "files"] as const),
];

/** The touches of interfaces, kept because the manifest and its facts for a review both need them. */
const touchesByPlan = new WeakMap<InterfacePlan, { readonly config: ConfigPlan; readonly touches: readonly PlacedTouch[] }>();

/** Everything outside that a run of the interface may touch, in the order of its actions. */
export function touchesOf(plan: InterfacePlan, config: ConfigPlan): readonly PlacedTouch[] {
  const earlier = touchesByPlan.get(plan);
  if (earlier?.config === config) return earlier.touches;
  const touches = findTouches(plan, config);
  touchesByPlan.set(plan, { config, touches });
  return touches;
}

function findTouches(plan: InterfacePlan, config: ConfigPlan): readonly PlacedTouch[] {
  const placed = (touched: readonly Touched[], at = plan.at): readonly PlacedTouch[] =>
    touched.map((one) => ({ ...one, ...(at && { at }) }));
  const { contract: _, accepts: __, about: ___, ...run } = plan;
  const states = [...(plan.loads?.before.states ?? []), ...(plan.loads?.after.states ?? [])];
  return [
    ...ofList(plan, ofRequest, config),
    ...everyTest(plan).flatMap(({ matchers }) =>
      matchers.flatMap(({ operand, at }) => placed(withVariables(operand, config).flatMap(keySetsIn), at)),
    ),
    ...placed(states.map((name) => stored(name, config.name))),
    ...placed((plan.response.logs ?? []).flatMap(({ to }) => (to === undefined ? [] : recordsIn(to.database)))).map((one) => ({
      ...one,
      isRecord: true as const,
    })),
    ...placed(secretsOf([run, ...plan.actions], config).map((name) => ({ kind: "secrets", name }))),
  ];
}

/**
 * The touches that an action makes by itself, its tests and gates included. The touches of a loop belong to the actions inside. Actions
 * from one text of YAML, such as an anchor, have the same touches.
 */
export function touchesOfAction(action: ActionPlan, touches: readonly PlacedTouch[]): readonly PlacedTouch[] {
  const { at, ops } = action;
  const tests = everyTest({ actions: [{ ...action, ops: ops.filter(({ op }) => op !== "lookup") }] });
  const spans = [at, ...ops.map((op) => op.at), ...tests.flatMap(({ matchers }) => matchers.map((matcher) => matcher.at))];
  const places = new Set(spans.flatMap((span) => (span === undefined ? [] : [placeOf(span)])));
  return touches.filter((touch) => touch.at !== undefined && places.has(placeOf(touch.at)));
}

const placeOf = ({ file, start }: Span): string => `${file}:${start}`;

/** Records of runs go to a table that is made when it is missing (spec/language 7.9). */
const recordsIn = (of: string): readonly Touched[] =>
  ["create", "insert"].map((verb) => ({ kind: "tables", name: "pipewright_log", of, verb }));

function ofList({ actions }: ActionListPlan, known: Sources, config: ConfigPlan): readonly PlacedTouch[] {
  const origins = new Map(known.actions);
  return actions.flatMap((plan) => {
    const here = { ...known, actions: origins };
    const own: PlacedTouch[] = plan.ops.flatMap((op) => ofOp(op, here, config, plan.at));
    const streams = plan.stream === undefined ? [] : withVariables(plan.stream, config);
    own.push(...streams.flatMap((stream) => channelOf(stream, here)).map((one) => ({ ...one, ...(plan.at && { at: plan.at }) })));
    origins.set(plan.name, provenanceAfter(plan.ops, here));
    return own;
  });
}

function ofOp(op: Op, known: Sources, config: ConfigPlan, around: Span | undefined): readonly PlacedTouch[] {
  const at = ("at" in op ? op.at : undefined) ?? around;
  const placed = (touched: readonly Touched[]): readonly PlacedTouch[] => touched.map((one) => ({ ...one, ...(at && { at }) }));
  switch (op.op) {
    case "call":
      return placed(withVariables(op.args, config).flatMap((args) => touchedBy(op.use, args, known, config.name)));
    case "query": {
      const database = config.databases.find(({ name }) => name === op.database);
      const uses = withVariables(op.args, config).flatMap((args) => tablesOfQuery(args, database, known));
      return placed(uses.map(({ table, verb }) => ({ kind: "tables", name: table, of: op.database, verb })));
    }
    case "lookup":
      return ofList(op.body, inLoop(op, known), config);
    case "take":
    case "pick":
    case "check":
    case "transform":
    case "filter":
    case "nest":
      return [];
  }
}

/** The issuers whose keys a test fetches. */
function keySetsIn(operand: Expr): readonly Touched[] {
  if (operand.op !== "map" && operand.op !== "lit") return [];
  const url = member(operand, "jwks_url");
  return isUnset(url) ? [] : hostsOf(url, ofRequest).map((name) => ({ kind: "hosts", ...name }));
}

/** Names of the secrets that a part of a plan reads, directly and through variables and the databases of its queries. */
function secretsOf(part: unknown, config: ConfigPlan): readonly string[] {
  const secrets = new Set<string>();
  const seen = new Set<string>();
  const look = (each: unknown): void => {
    if (isExpr(each, "root") && each.name !== undefined) {
      if (each.root === "secret") secrets.add(each.name);
      if (each.root === "var") follow(`var ${each.name}`, config.variables.find(([name]) => name === each.name)?.[1]);
    }
    if (typeof each === "object" && each !== null && "database" in each)
      follow(`database ${String(each.database)}`, config.databases.find(({ name }) => name === each.database)?.settings);
    partsOf(each).forEach(look);
  };
  const follow = (name: string, value: Expr | undefined): void => {
    if (seen.has(name)) return;
    seen.add(name);
    look(value);
  };
  look(part);
  return [...secrets].sort();
}

/** The addresses of the databases and stores of secrets of a configuration, which all its interfaces share. */
export function touchesOfConfig(config: ConfigPlan): readonly PlacedTouch[] {
  const { databases, secrets } = config;
  const placed = (at: Span | undefined, touched: readonly Touched[]): readonly PlacedTouch[] =>
    touched.map((one) => ({ ...one, ...(at && { at }) }));
  return [
    ...databases.flatMap(({ driver, settings, at }) =>
      placed(
        at,
        withVariables(settings, config).flatMap((one) => addressesOf(driver, one)),
      ),
    ),
    ...secrets.flatMap(({ kind, settings, at }) =>
      placed(
        at,
        withVariables(settings, config).flatMap((one) => touchedByStore(kind, one, ofConfig)),
      ),
    ),
    ...[...databases, ...secrets].flatMap(({ settings, at }) =>
      placed(
        at,
        secretsOf(settings, config).map((name) => ({ kind: "secrets", name })),
      ),
    ),
  ];
}

const ofConfig: Sources = { ...ofRequest, body: "configuration" };

function addressesOf(driver: string, settings: Expr): readonly Touched[] {
  const address = member(settings, "conn_string");
  const file = isUnset(address) ? member(settings, "dbname") : address;
  if (driver === "sqlite") return namesOf(file, ofConfig).map((name) => ({ kind: "files", ...name }));
  const host = member(settings, "host");
  const parts = isUnset(host) ? [{ name: "localhost" }] : namesOf(host, ofConfig);
  const names = isUnset(address) ? parts : hostsOf(address, ofConfig);
  return names.map((name) => ({ kind: "hosts", ...name }));
}

/** Touches as the manifest lists them: by kind, each thing once with all its verbs, sorted. */
export function capabilitiesOf(touches: readonly PlacedTouch[]): Capabilities {
  const kinds = capabilityKinds.flatMap((kind) => {
    const groups = Map.groupBy(
      touches.filter((one) => one.kind === kind),
      keyOf,
    );
    const list = [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, all]) => merged(all) ?? []);
    return list.length === 0 ? [] : [[kind, list] as const];
  });
  return Object.fromEntries(kinds);
}

const keyOf = ({ of, name, from, within }: PlacedTouch): string => JSON.stringify([of ?? "", name, from ?? "", within ?? []]);

function merged(all: readonly PlacedTouch[]): Capability | undefined {
  const [first] = all;
  if (first === undefined) return undefined;
  const verbs = [...new Set(all.flatMap(({ verb }) => verb ?? []))].sort();
  const { name, of, from, within } = first;
  return {
    name,
    ...present({ of }),
    ...(verbs.length === 0 ? {} : { verbs }),
    ...present({ from, within }),
  };
}
