import type { Config } from "../run/interface.ts";
import type { EndpointsOf } from "./endpoint.ts";
import { exchange } from "./mcp/exchange.ts";
import { serversOf } from "./mcp/servers.ts";

/**
 * The MCP servers of these configs: interfaces as tools of agents. They are stateless, so that any node can answer any request
 * (spec/surfaces 6).
 */
export const mcpTools: EndpointsOf<Config> = (host, configs) =>
  serversOf(configs).flatMap((server) =>
    server.paths.map((path) => ({ method: "POST", path, take: (request) => exchange(host, server, request) })),
  );
