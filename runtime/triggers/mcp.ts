import type { Config } from "../run/interface.ts";
import type { EndpointsOf } from "./endpoint.ts";
import { exchange } from "./mcp/exchange.ts";
import { serversOf } from "./mcp/servers.ts";

/**
 * The servers of MCP that these configs make together: interfaces as tools of agents, stateless, so that any node answers any request
 * (spec/surfaces 6).
 */
export const mcpTools: EndpointsOf<Config> = (host, configs) =>
  serversOf(configs).flatMap((server) =>
    server.paths.map((path) => ({ method: "POST", path, take: (request) => exchange(host, server, request) })),
  );
