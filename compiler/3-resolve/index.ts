import type { Span } from "#runtime/plan/index.ts";
import { type Document, type Entry, entriesOf, entry, get, items, type Node, scalarText, textOf } from "../1-read/document.ts";
import { databases } from "../diagnostics/codes/databases.ts";
import { config as configCodes } from "../diagnostics/codes/file.ts";
import { routes } from "../diagnostics/codes/flow.ts";
import { names } from "../diagnostics/codes/names.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { nearest } from "../diagnostics/nearest.ts";
import { locator } from "../diagnostics/position.ts";
import { present } from "../present.ts";
import { resolveActions } from "./actions.ts";
import { calledByAgents } from "./agents.ts";
import { checkTools } from "./mcp.ts";
import { type ConfigPolicy, configPolicy, interfacePolicy } from "./network.ts";
import { checkRealtime, verifiesToken } from "./realtime.ts";
import type { ResolvedConfig, ResolvedDatabase, ResolvedInterface } from "./resolved.ts";
import { checkRouteShape } from "./route-shape.ts";
import { checkMethod, checkRoutes, isInterfaceName, isServed, methodOf, routeOf, triggersIn } from "./routes.ts";
import { checkTopics } from "./topics.ts";

/** A checked file: its text and the validated tree. */
export interface Checked {
  readonly document: Document;
  readonly root: Node;
}

/** Checks the configs of a project together: their names, routes, tools, channels and topics must not clash. */
export function checkTogether(configs: readonly ResolvedConfig[], report: Report): void {
  const first = new Map<string, ResolvedConfig>();
  for (const config of configs) {
    const other = first.get(config.name);
    if (other === undefined) first.set(config.name, config);
    else if (config.name !== "") report(configCodes.nameTwice(config.name, other.document.file), config.nameNode?.span ?? config.root.span);
  }
  checkRoutes(configs, report);
  checkTools(configs, report);
  checkRealtime(configs, report);
  checkTopics(configs, report);
}

/** Binds the names of one config: interfaces, routes, actions, databases. */
export function resolve({ document, root }: Checked, report: Report): ResolvedConfig {
  const global = get(root, "global");
  const locate = locator(document.text);
  const lineOf = (span: Span): number => locate(span.start).line;
  const nameNode = get(root, "name");
  const network = configPolicy(get(root, "network"), report);
  const declared = entriesOf(get(root, "interfaces"));
  const names = declared.map(({ key }) => key);
  const onError = resolveOnError(get(root, "on_error"), names, report);
  const authorizers = declared.flatMap(({ value }) => [
    resolveAuthorizer(get(value, "subscribe_authorizer"), names, report),
    resolveAuthorizer(get(get(value, "mcp"), "list_authorizer"), names, report),
  ]);
  const { tools, askers } = calledByAgents(declared, new Set(authorizers.flatMap((name) => name ?? [])), report);
  const called = [scalarText(get(get(root, "on_error"), "interface")), ...authorizers, ...tools, ...askers];
  // A name with a mistake in it, which was reported, counts as the nearest interface.
  const targets = new Set(called.map((name) => (name === undefined || names.includes(name) ? name : nearest(name, names))));
  const interfaces = declared.map(({ key, keySpan, value }) => ({
    ...resolveInterface(key, keySpan, value, { lineOf, network, report, isCalled: targets.has(key) }),
    ...(tools.has(key) ? { isTool: true as const } : {}),
    ...(verifiesToken(value, get(root, "interfaces")) ? { verifies: true as const } : {}),
  }));
  const all = entry(root, "interfaces");
  if (all?.value.kind === "map" && interfaces.length === 0) report(routes.noInterface(), all.keySpan);
  return {
    document,
    root,
    name: scalarText(nameNode) ?? "",
    nameNode,
    variables: entriesOf(get(global, "variables")),
    templates: entriesOf(get(global, "templates")),
    secrets: entriesOf(get(global, "secrets")),
    http: get(global, "http"),
    databases: entriesOf(get(global, "databases")).map((entry) => resolveDatabase(entry, report)),
    ...present({ network: network.rules }),
    interfaces,
    ...present({ onError }),
  };
}

/** The handler is an interface of the same configuration (PW333). */
function resolveOnError(node: Node | undefined, interfaces: readonly string[], report: Report): ResolvedConfig["onError"] {
  const target = get(node, "interface");
  const name = scalarText(target);
  if (node === undefined || target === undefined || name === undefined) return undefined;
  if (interfaces.includes(name)) return { node, interface: name };
  report(names.unknownInterface(name, nearest(name, interfaces)), target.span);
  return undefined;
}

/** An interface that decides about channels or tools belongs to the same configuration (spec/language 7.1). */
function resolveAuthorizer(target: Node | undefined, interfaces: readonly string[], report: Report): string | undefined {
  const name = scalarText(target);
  if (target !== undefined && name !== undefined && !interfaces.includes(name))
    report(names.unknownInterface(name, nearest(name, interfaces)), target.span);
  return name;
}

/** Keys for the parts of a connection, all of which one URL can hold. */
const discrete: ReadonlySet<string> = new Set(["user", "pass", "host", "port", "dbname", "params"]);

function resolveDatabase({ key, keySpan, value }: Entry, report: Report): ResolvedDatabase {
  const parts = entriesOf(value).filter((part) => part.key === "conn_string" || discrete.has(part.key));
  const [, second] = parts;
  if (second !== undefined && parts.some((part) => part.key === "conn_string")) report(databases.twoConnections(), second.keySpan);
  return { name: key, node: value, driver: textOf(get(value, "driver")), span: keySpan };
}

/** The surroundings in which an interface is resolved. */
interface Around {
  readonly lineOf: (span: Span) => number;
  readonly network: ConfigPolicy;
  readonly report: Report;
  /** True when another key of the configuration names the interface: `on_error` or `subscribe_authorizer`. */
  readonly isCalled: boolean;
}

/** True where something starts the interface, or a mistake that was reported hides whether it does. */
function hasTrigger(node: Node): boolean {
  if (node.kind !== "map") return true;
  const output = entry(node, "output");
  if (output !== undefined && textOf(output.value) !== "none") return true;
  const byRequest = output === undefined && ["method", "route"].some((key) => entry(node, key) !== undefined);
  return byRequest || triggersIn(node).length > 0;
}

function resolveInterface(name: string, span: Span, node: Node, { lineOf, network, report, isCalled }: Around): ResolvedInterface {
  const isName = isInterfaceName(name);
  if (!isName) report(configCodes.interfaceName(name), span);
  checkMethod(node, report);
  const actions = resolveActions(items(get(node, "actions")), lineOf, report);
  const actionNames = actions.map((action) => action.name);
  const response = get(node, "response");
  for (const item of items(get(response, "http_code_inherit_error"))) {
    const action = scalarText(item);
    if (action !== undefined && !actionNames.includes(action))
      report(names.unknownActionIn(action, "http_code_inherit_error", nearest(action, actionNames)), item.span);
  }
  const output = textOf(get(node, "output"));
  const writtenAt = entry(node, "output")?.value.span;
  if (isName && !isCalled && !hasTrigger(node)) report(routes.noTrigger(writtenAt !== undefined), writtenAt ?? span);
  const route = entry(node, "route")?.value;
  const path = route === undefined && isName ? name : scalarText(route);
  if (isServed(node) && path !== undefined) checkRouteShape(path, route?.span ?? span, report);
  const policy = interfacePolicy(entry(node, "network"), network, report);
  return {
    name,
    span,
    node,
    actions,
    output: output === "http" || output === "cli" ? output : output === undefined && isServed(node) ? "http" : "none",
    ...(output === "none" ? { discards: true } : {}),
    method: methodOf(node),
    ...(isServed(node) ? { route: routeOf(name, node) } : {}),
    routeSpan: route?.span ?? span,
    templates: entriesOf(get(node, "templates")),
    ...present({ network: policy }),
  };
}
