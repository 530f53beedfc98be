import type { PolicyPlan, RulesPlan } from "#runtime/plan/policies.ts";
import { visible } from "#runtime/value/visible.ts";
import { compareNames } from "../1-read/order.ts";
import type { AnalysedInterface, AnalysedPlan } from "../5-analyse/analysed.ts";
import { type Entrance, entrancesOf } from "../5-analyse/entrances.ts";
import { present } from "../present.ts";
import { askedEnvironment, failed, planProject, type Terminal } from "./project.ts";
import { status } from "./status.ts";
import { table } from "./table.ts";

export interface RoutesOptions {
  readonly format: "text" | "json";
  readonly env?: string;
}

/** Prints the table of triggers: method, path, interface, network policy, file:line. */
export function routes(paths: readonly string[], options: RoutesOptions, terminal: Terminal): number {
  const { format } = options;
  const service = {
    organisation: terminal.env.PIPEWRIGHT_ORG || "local",
    environment: askedEnvironment(options, terminal) ?? "<environment>",
  };
  const planned = planProject(paths, terminal);
  if (failed(planned, terminal, { format })) return status.failed;
  const usual = usualServer(planned.plans);
  const rows = planned.plans.flatMap((config) =>
    config.interfaces.map((target) => ({
      target,
      interface: target.name,
      policy: policyOf(target.network, config.network),
      config: config.name,
      file: config.file,
      line: target.at === undefined ? 1 : planned.sources.lines(config.file).at(target.at.start).line,
    })),
  );
  if (format === "json") {
    const listed = rows.map(({ target, ...row }) => ({ ...inJson(target, service), ...row }));
    terminal.out(visible(`${JSON.stringify({ routes: listed }, null, 2)}\n`));
  } else
    terminal.out(
      table([
        ["METHOD", "PATH", "INTERFACE", "POLICY", "WHERE"],
        ...rows.flatMap(({ target, policy, file, line }) =>
          entrancesOf(target)
            .flatMap((one) => (one.kind === "mcp" ? toolPaths(one, usual) : [methodAndPath(one, target, service)]))
            .map((columns) => [...columns, target.name, policy.join(", ") || "-", `${file}:${line}`]),
        ),
      ]),
    );
  return status.done;
}

/** The names of the service that stand in the paths of sockets and in topics. */
interface Service {
  readonly organisation: string;
  readonly environment: string;
}

const socketPath = (target: AnalysedInterface, { organisation, environment }: Service): string =>
  `/ws/${organisation}/${environment}/${target.name}`;

const fullTopic = (topic: string, target: AnalysedInterface, { environment }: Service): string => `${environment}/${target.name}/${topic}`;

/** The entrances of an interface as members of its row in JSON. */
function inJson(target: AnalysedInterface, service: Service): object {
  const { route, method, output, schedule, idle, ws, mqtt, mcp, triggers } = target;
  return {
    method: route === undefined ? "" : method,
    path: route ?? `(${output})`,
    ...present({ schedule, idle }),
    ...(ws === undefined ? {} : { ws: socketPath(target, service) }),
    ...(mqtt === undefined ? {} : { mqtt: fullTopic(mqtt, target, service) }),
    ...(mcp === undefined ? {} : { tool: mcp.name, server: mcp.server ?? "" }),
    ...(triggers === undefined ? {} : { triggers: Object.keys(triggers) }),
  };
}

type Tool = Extract<Entrance, { readonly kind: "mcp" }>;

/**
 * The columns of method and path for each address of a tool. Tools without a server belong to the default server, which has the path
 * `/mcp`.
 */
function toolPaths({ tool, server = "" }: Tool, usual: string): (readonly [method: string, path: string])[] {
  const id = server || usual;
  const paths = [...(id === usual ? ["/mcp"] : []), ...(id === "" ? [] : [`/mcp/${id}`])];
  return paths.map((path) => ["mcp", `${path} ${tool}`]);
}

/** The id of the default MCP server of all configurations, of which the first by name wins; empty for the built-in one. */
function usualServer(plans: readonly Pick<AnalysedPlan, "name" | "mcp_servers">[]): string {
  const declared = plans.toSorted((a, b) => compareNames(a.name, b.name)).flatMap(({ mcp_servers = [] }) => mcp_servers);
  const first = declared.filter(({ id }, i) => declared.findIndex((other) => other.id === id) === i);
  return first.find((server) => server.default === true)?.id ?? "";
}

/** The columns of method and path. */
function methodAndPath(
  entrance: Exclude<Entrance, Tool>,
  target: AnalysedInterface,
  service: Service,
): readonly [method: string, path: string] {
  switch (entrance.kind) {
    case "http":
      return [entrance.method, entrance.route];
    case "schedule":
      return ["schedule", [entrance.cron, entrance.timezone, ...(entrance.state === undefined ? [] : [entrance.state])].join(" ")];
    case "ws":
      return ["ws", socketPath(target, service)];
    case "mqtt":
      return ["mqtt", fullTopic(entrance.topic, target, service)];
    case "trigger":
      return ["trigger", entrance.name];
    case "cli":
    case "interfaces":
      return ["", `(${target.output})`];
  }
}

/** The rules of an interface, its own and the inherited ones: `ip`, `geo`, `asn`, `rate_limit`; `monitor` when they only log. */
function policyOf(policy: PolicyPlan | undefined, above: RulesPlan | undefined): string[] {
  if (policy === undefined) return [];
  const levels = [policy.inherits === true ? above : undefined, policy.rules];
  const kinds = (["ip", "geo", "asn", "rate_limit"] as const).filter((kind) => levels.some((rules) => rules?.[kind] !== undefined));
  return kinds.length > 0 && policy.mode === "monitor" ? [...kinds, "monitor"] : kinds;
}
