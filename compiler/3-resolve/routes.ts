import { triggers } from "#generated/features.ts";
import { percentDecode } from "#runtime/formats/form.ts";
import { entriesOf, entry, get, type Node, scalarText, textOf } from "../1-read/document.ts";
import { mayBeOn } from "../2-check/started.ts";
import { shape as shapes } from "../diagnostics/codes/file.ts";
import { routes } from "../diagnostics/codes/flow.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { nearest } from "../diagnostics/nearest.ts";
import { valueFor } from "../other-tools/values.ts";
import { needsOf } from "../records.ts";
import type { ResolvedAction, ResolvedConfig, ResolvedInterface } from "./resolved.ts";
import { type RoutePlace, warnOverlaps } from "./route-overlaps.ts";
import { routeProblem } from "./route-shape.ts";

/** True for an interface with an HTTP route: it has `output: http`, or no output and a method or route (spec/language 7.1). */
export function isServed(node: Node): boolean {
  const output = textOf(get(node, "output"));
  return output === "http" || (output === undefined && (entry(node, "method") !== undefined || entry(node, "route") !== undefined));
}

/** The triggers that an interface has beside its route, by their keys. */
export const triggersIn = (node: Node): readonly string[] => Object.keys(triggers).filter((key) => entry(node, key) !== undefined);

/** True when it is unknown how the interface is reached, because the mistake in its keys was reported already. */
const isMistaken = ({ name, node }: ResolvedInterface): boolean =>
  ["output", "method", "route"].some((key) => entry(node, key) !== undefined && get(node, key) === undefined) ||
  routeProblem(scalarText(get(node, "route")) ?? name) !== undefined;

export const methodOf = (node: Node): string => (textOf(get(node, "method")) ?? "GET").toUpperCase();

/** Methods that an interface may have; ANY is all of them. */
export const methods: readonly string[] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "ANY"];

/** Checks the method: with a method that no client sends, the route could not be called. */
export function checkMethod(node: Node, report: Report): void {
  const methodNode = get(node, "method");
  const method = textOf(methodNode)?.toUpperCase();
  if (methodNode === undefined || method === undefined || methods.includes(method)) return;
  const near = nearest(method, methods) ?? valueFor("method", method, methods);
  report(shapes.wrongType("method", `one of ${methods.join(", ")}`, undefined, { nearest: near }), methodNode.span);
}

/** True when a frame of a socket and a call of a tool get the outcome (spec/language 7.6). choice: with `output: cli` they do not. */
export function repliesToClients(node: Node): boolean {
  const output = textOf(get(node, "output"));
  return output === undefined || output === "http";
}

/** True for a text that can be the name of an interface. */
export const isInterfaceName = (text: string): boolean => /^[A-Za-z0-9._~/:{}-]{1,200}$/.test(text);

/** The path with a leading slash; a segment `{id}` is written `:id`. */
export function routeOf(name: string, node: Node): string {
  const text = scalarText(get(node, "route")) ?? name;
  return `/${text.replace(/^\//, "")}`.replace(/(?<=\/)\{([^{}/]+)\}(?=\/|$)/g, ":$1");
}

/** Names of the parameters in the path of an interface, in order: `:id` and `*rest`. */
export const paramsOfRoute = (route = ""): string[] => [...route.matchAll(/(?<=\/)[:*]([^/]+)/g)].map(([, name = ""]) => name);

/**
 * Two interfaces with the same method and shape of path exclude each other, across configs too (PW330); overlapping patterns are a warning
 * (PW331).
 */
export function checkRoutes(configs: readonly ResolvedConfig[], report: Report): void {
  const places = configs.flatMap(({ interfaces }) =>
    interfaces.flatMap((target): RoutePlace[] => {
      const { name, method, route, routeSpan } = target;
      return route === undefined || isMistaken(target) ? [] : [{ name, method, route, shape: shape(route), routeSpan }];
    }),
  );
  const features = featuresOf(configs);
  for (const { route, routeSpan } of places) {
    const owner = ownerOf(route, features);
    if (owner !== undefined) report(routes.reservedPath(route, owner), routeSpan);
  }
  const exact = new Map<string, RoutePlace>();
  for (const place of places) {
    const { name, method, route, routeSpan } = place;
    const key = `${method} ${place.shape}`;
    const other = exact.get(key);
    if (other === undefined) exact.set(key, place);
    else
      report(routes.servedTwice(`${method} ${route}`, other.name, name), routeSpan, [
        { at: other.routeSpan, message: `served here by '${other.name}'` },
      ]);
  }
  warnOverlaps([...exact.values()], report);
}

/** The parts of the service that have paths of their own; a part that no config uses reserves no path (spec/surfaces 0.5). */
interface Features {
  readonly mcp: boolean;
  readonly mqtt: boolean;
  readonly ws: boolean;
  readonly docs: boolean;
}

function featuresOf(configs: readonly ResolvedConfig[]): Features {
  const has = (key: string): boolean => configs.some(({ interfaces }) => interfaces.some(({ node }) => entry(node, key) !== undefined));
  return {
    mcp: has("mcp") || configs.some(({ root }) => entry(root, "mcp_servers") !== undefined),
    mqtt: has("mqtt") || configs.some(({ interfaces }) => interfaces.some(({ actions }) => actions.some(needsBroker))),
    ws: has("ws"),
    docs: configs.some(({ root }) => mayBeOn(root, "docs")),
  };
}

const needsBroker = ({ node, actions = [] }: ResolvedAction): boolean =>
  entriesOf(node).some(({ key }) => needsOf(key) === "mqtt") || actions.some(needsBroker);

/** The part of the service that answers on a path before any interface. A route with a parameter that also matches the path is allowed. */
function ownerOf(route: string, { mcp, mqtt, ws, docs }: Features): string | undefined {
  const [first = "", ...rest] = route.slice(1).split("/");
  const alone = rest.length === 0;
  if (alone && (first === "livez" || first === "readyz")) return "the health checks";
  if (first === "_pipewright") return "pipewright";
  if (mcp && first === "mcp" && rest.length < 2) return "the MCP server";
  if (mqtt && alone && first === "mqtt") return "the MQTT broker";
  if (ws && first === "ws" && rest.length > 2) return "the WebSocket channels";
  if (docs && alone && (first === "docs.json" || first === "documentation")) return "the API documentation";
  return undefined;
}

/**
 * The shape of a route, which is equal for routes that match the same paths: it has no names of parameters, and escapes in literals are
 * decoded.
 */
const shape = (route: string): string =>
  route
    .replace(/:[^/]+/g, ":")
    .replace(/\*[^/]*$/, "*")
    .split("/")
    .map(unescaped)
    .join("/");

const unescaped = (segment: string): string => (percentDecode(segment) ?? segment).replaceAll("/", "%2F");
