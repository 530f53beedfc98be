import * as features from "#generated/features.ts";
import type { JsonSchema } from "#runtime/features/feature.ts";
import type { ConfigPlan, ConfigStartPlan, ErrorHandlerPlan, Expr, InterfacePlan, Needs, SecretPlan, Span } from "#runtime/plan/index.ts";
import { entriesOf, get, items, type Node, numberOf, scalarText, textOf } from "../1-read/document.ts";
import { language } from "../2-check/schema.ts";
import { isStarted, mayBeOn } from "../2-check/started.ts";
import type { ResolvedConfig, ResolvedInterface } from "../3-resolve/resolved.ts";
import { build } from "../diagnostics/codes/build.ts";
import { flow } from "../diagnostics/codes/flow.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { present } from "../present.ts";
import { planActions } from "./actions.ts";
import { Credentials } from "./credentials.ts";
import { groupsOf, longestWay, shortestCycle, startOfLongWay } from "./cycles.ts";
import { Databases } from "./databases.ts";
import { planInterface } from "./interfaces/interface.ts";
import { planMcpServers } from "./interfaces/mcp.ts";
import { lowerPolicy } from "./interfaces/network.ts";
import { lower } from "./lower/values.ts";
import { configRoots, emptyNeeds, type Lowering, type OpenNeeds, type Scope, scope, type WantedVariable } from "./markers/scope.ts";
import { type Definition, hiddenIn, planSecret, secretsBehind } from "./secrets.ts";

const { definitions, root: configSchema } = language(features);

/** Phase 4: markers become expressions, records become ops. Parts that cannot be planned were reported; the plan holds the rest. */
export function plan(
  config: ResolvedConfig,
  report: Report,
  outside: Pick<Lowering, "refusal" | "include">,
  wanted: WantedVariable[] = [],
): ConfigPlan {
  const [needs, optional] = [emptyNeeds(), emptyNeeds()];
  const variables = new Set(config.variables.map(({ key }) => key));
  const stored = new Map(config.secrets.map(({ key, value }) => [key, textOf(get(value, "format")) ?? "raw"]));
  const bare: Lowering = {
    ...outside,
    report,
    definitions,
    scope: scope({ variables, stored, needs, optional, wanted }),
  };
  const { variableSecrets, hiddenVariables, ...defined } = planDefinitions(config, bare);
  const shared: Lowering = { ...bare, scope: { ...bare.scope, variableSecrets, hiddenVariables } };
  const databases = new Databases(config.databases, shared);
  const credentials = new Credentials(config.root, shared);
  const settings: NonNullable<Lowering["settings"]> = [];
  const exposesMetrics = mayBeOn(config.root, "expose_metrics");
  const interfaces = config.interfaces.flatMap((target) => {
    const around = {
      ...{ databases, credentials, exposesMetrics, metrics: new Map<string, string>() },
      httpDefaults: [get(target.node, "defaults"), config.http].filter((node) => node !== undefined),
      ...{ network: config.network, networkNode: get(config.root, "network") },
      ...{ place: target.name, depth: 0, list: planActions },
    };
    return planInterface(target, around, { ...shared, settings, scope: scopeOf(target, config, shared.scope) }) ?? [];
  });
  const servers = planMcpServers(config.root);
  const start = planStart(config, interfaces, settings, shared);
  return {
    name: config.name,
    file: config.document.file,
    ...defined,
    databases: databases.plans,
    ...(exposesMetrics ? { expose_metrics: true as const } : {}),
    ...(servers.length === 0 ? {} : { mcp_servers: servers }),
    ...(mayBeOn(config.root, "docs") ? { docs: describe(config) } : {}),
    ...present({ network: config.network }),
    interfaces,
    ...(config.onError === undefined ? {} : { on_error: planOnError(config.onError) }),
    ...present({ start }),
    needs: sorted(needs),
    ...present({ optional: optionalNames(optional, needs) }),
  };
}

/** The names that an interface may use: those of the configuration, of its actions and of its templates. */
function scopeOf(target: ResolvedInterface, { templates }: ResolvedConfig, shared: Scope): Scope {
  const { variables, variableSecrets, hiddenVariables, stored, needs, optional, wanted } = shared;
  return scope({
    ...{ variables, variableSecrets, hiddenVariables, stored, needs, optional, wanted },
    actions: new Set(target.actions.map(({ name }) => name)),
    nodes: new Map(target.actions.map(({ name, node }) => [name, node])),
    templates: new Map([...templates, ...target.templates].map(({ key, value }) => [key, value])),
  });
}

/** Fields of the configuration that are read at the start, and the settings of its actions. */
function planStart(
  { root, onError }: ResolvedConfig,
  interfaces: readonly InterfacePlan[],
  settings: NonNullable<ConfigStartPlan["settings"]>,
  cx: Lowering,
): ConfigStartPlan | undefined {
  const flagged = (key: string, as: "metrics" | "docs"): ConfigStartPlan => {
    const value = get(root, key);
    return value !== undefined && isStarted(value) ? { [as]: lower(value, schemaOf(key), cx, { field: key, required: false }) } : {};
  };
  const servers = get(root, "mcp_servers");
  const network = get(root, "network");
  const start: ConfigStartPlan = {
    ...flagged("expose_metrics", "metrics"),
    ...flagged("docs", "docs"),
    ...(onError !== undefined && isStarted(onError.node) ? { on_error: lower(onError.node, { $ref: "#/$defs/OnError" }, cx) } : {}),
    ...(servers !== undefined && isStarted(servers) ? { mcp_servers: startedServers(servers, cx) } : {}),
    ...(network !== undefined && interfaces.some(({ start }) => start?.network?.inherits) ? { network: lowerPolicy(network, cx) } : {}),
    ...(settings.length === 0 ? {} : { settings }),
  };
  return Object.keys(start).length === 0 ? undefined : start;
}

const schemaOf = (key: string): JsonSchema => configSchema.properties?.[key] ?? {};

/** The MCP servers by their ids. */
function startedServers(servers: Node, cx: Lowering): Expr {
  return { op: "map", entries: entriesOf(servers).map(({ key, value }) => [key, lower(value, { $ref: "#/$defs/McpServer" }, cx)]) };
}

function describe({ document }: ResolvedConfig): { readonly description?: string; readonly version?: string } {
  const part = (key: "description" | "version"): { readonly description?: string; readonly version?: string } => {
    const text = scalarText(get(document.root, key))?.trim();
    return text === undefined || text === "" ? {} : { [key]: text };
  };
  return { ...part("description"), ...part("version") };
}

function planOnError({ node, interface: target }: NonNullable<ResolvedConfig["onError"]>): ErrorHandlerPlan {
  const status = get(node, "status");
  const max_per_minute = numberOf(get(node, "max_per_minute"));
  return {
    interface: target,
    ...(status === undefined ? {} : { status: items(status).flatMap((item) => numberOf(item) ?? []) }),
    ...present({ max_per_minute }),
    at: node.span,
  };
}

/**
 * `global.variables` and `global.secrets`: they may read only roots that exist before any request, and none may depend on itself (PW206,
 * PW307). A secret stands behind the secrets that it reads, because it is fetched after them.
 */
function planDefinitions({ variables, secrets }: ResolvedConfig, cx: Lowering) {
  const ofVariables = new Map(variables.map(({ key, value }) => [key, planVariable(value, cx)]));
  const ofSecrets = new Map(secrets.flatMap((each) => withKey(each.key, planSecret(each, cx, definitions.Secret ?? {}))));
  reportCycles(edgesOf(ofVariables, ofSecrets), cx.report);
  const variableSecrets = secretsBehind(ofVariables);
  const plans = new Map<string, SecretPlan>();
  const add = (name: string, around: readonly string[]): void => {
    const { plan, variables: read, secrets: own } = ofSecrets.get(name) ?? {};
    if (plan === undefined || plans.has(name) || around.includes(name)) return;
    const names = [
      ...new Set([...(own?.keys() ?? []), ...[...(read?.keys() ?? [])].flatMap((each) => [...(variableSecrets.get(each) ?? [])])]),
    ];
    for (const secret of names) add(secret, [...around, name]);
    plans.set(name, { ...plan, ...(names.length === 0 ? {} : { secrets: names.sort() }) });
  };
  for (const name of ofSecrets.keys()) add(name, []);
  const ofConfig = [...ofVariables].map(([name, { plan }]) => [name, plan] as const);
  return { variables: ofConfig, secrets: [...plans.values()], variableSecrets, hiddenVariables: hiddenIn(ofVariables) };
}

const withKey = <P>(key: string, definition: Definition<P> | undefined): [string, Definition<P>][] =>
  definition === undefined ? [] : [[key, definition]];

function planVariable(value: Node, cx: Lowering): Definition<Expr> {
  const inner = scope({ ...cx.scope, allowed: configRoots, variableReads: new Map(), secrets: new Map() });
  return { plan: lower(value, {}, { ...cx, scope: inner }), variables: inner.variableReads, secrets: inner.secrets };
}

type Edges = ReadonlyMap<string, ReadonlyMap<string, Span>>;

/** The names that each name reads. A secret is named as in its marker, which differs from the name of a variable. */
function edgesOf(...[variables, secrets]: readonly ReadonlyMap<string, Definition<unknown>>[]): Edges {
  const node = (name: string): string => `secret::${name}`;
  const edges = ({ variables: read, secrets: stored }: Definition<unknown>): Map<string, Span> =>
    new Map([...read, ...[...stored].map(([name, at]) => [node(name), at] as const)]);
  return new Map([
    ...[...(variables ?? [])].map(([name, each]) => [name, edges(each)] as const),
    ...[...(secrets ?? [])].map(([name, each]) => [node(name), edges(each)] as const),
  ]);
}

function reportCycles(edges: Edges, report: Report): void {
  const names = [...edges.keys()];
  const places = new Map(names.map((name, i) => [name, i]));
  const next = names.map((name) => [...(edges.get(name)?.keys() ?? [])].flatMap((to) => places.get(to) ?? []));
  const long = startOfLongWay(next);
  const [tooFar] = long === undefined ? [] : [...(edges.get(names[long] ?? "")?.values() ?? [])];
  if (tooFar !== undefined) report(build.tooMuch(`variables read each other more than ${longestWay} deep`), tooFar);
  const groups = groupsOf(next);
  const done = new Set<number>();
  for (const start of names.keys()) {
    if (groups[start] === undefined || done.has(start)) continue;
    const cycle = shortestCycle(start, (at) => (next[at] ?? []).filter((to) => groups[to] === groups[start])) ?? [];
    for (const at of cycle) done.add(at);
    const path = cycle.flatMap((at) => names[at] ?? []);
    const members = new Set(path);
    const spans = path.flatMap((name) => [...(edges.get(name) ?? [])].filter(([to]) => members.has(to)).map(([, at]) => at));
    const first = spans.sort((a, b) => a.start - b.start)[0];
    if (first !== undefined) report(flow.variableCycle([...path, ...path.slice(0, 1)]), first);
  }
}

/** The optional names that are nowhere a need; undefined when there are none. */
function optionalNames(optional: OpenNeeds, needs: OpenNeeds): Needs | undefined {
  for (const kind of ["env", "vars", "secrets"] as const) for (const name of needs[kind]) optional[kind].delete(name);
  return optional.env.size + optional.vars.size + optional.secrets.size === 0 ? undefined : sorted(optional);
}

const sorted = (needs: OpenNeeds): Needs => ({
  env: [...needs.env].sort(),
  vars: [...needs.vars].sort(),
  secrets: [...needs.secrets].sort(),
});
