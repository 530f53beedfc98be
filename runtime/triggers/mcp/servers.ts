import type { McpServerPlan, McpToolPlan } from "../../plan/tools.ts";
import type { Config, Interface, Target } from "../../run/interface.ts";

/** An interface that agents call. */
export interface Tool extends Target {
  readonly spec: McpToolPlan;
}

/** An MCP server with its identity and its tools. */
export interface McpServer {
  readonly name: string;
  readonly title?: string;
  readonly instructions?: string;
  /** The paths at which the server answers, without a prefix. */
  readonly paths: readonly string[];
  /** The tools by name, in the order of their names. */
  readonly tools: ReadonlyMap<string, Tool>;
}

/** The identity for tools that belong to no declared server. */
const builtIn: McpServerPlan = { id: "", default: true };

/**
 * The servers of all configs together: of servers with one id, that of the first config by name wins (spec/surfaces 6). The compiler has
 * warned of the others.
 */
export function serversOf(configs: readonly Config[]): readonly McpServer[] {
  const sorted = [...configs].sort((a, b) => (a.name < b.name ? -1 : 1));
  const declared = new Map<string, McpServerPlan>();
  for (const { mcp_servers = [] } of sorted)
    for (const server of mcp_servers) if (!declared.has(server.id)) declared.set(server.id, server);
  const usual = [...declared.values()].find((each) => each.default === true) ?? builtIn;
  const tools = sorted.flatMap((config) => config.interfaces.flatMap((each) => toolOf(config, each)));
  const all =
    usual === builtIn && tools.some(({ spec }) => spec.server === undefined) ? [...declared.values(), builtIn] : [...declared.values()];
  return all.map((plan) => serverOf(plan, plan === usual, tools));
}

const toolOf = (config: Config, target: Interface): Tool[] =>
  target.mcp === undefined ? [] : [{ config, interface: target, spec: target.mcp }];

function serverOf({ id, title, instructions }: McpServerPlan, isDefault: boolean, all: readonly Tool[]): McpServer {
  const own = all.filter(({ spec }) => (spec.server === undefined ? isDefault : spec.server === id));
  const tools = new Map<string, Tool>();
  for (const tool of own.sort((a, b) => (a.spec.name < b.spec.name ? -1 : 1)))
    if (!tools.has(tool.spec.name)) tools.set(tool.spec.name, tool);
  return {
    name: id === "" ? "pipewright" : id,
    ...(title === undefined ? {} : { title }),
    ...(instructions === undefined ? {} : { instructions }),
    paths: [...(isDefault ? ["/mcp"] : []), ...(id === "" ? [] : [`/mcp/${id}`])],
    tools,
  };
}
