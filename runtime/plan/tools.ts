import type { JsonObject } from "../value/json.ts";

/** An interface as a tool that a model may call. */
export interface ToolPlan {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** True when callers learn nothing of the outcome. */
  readonly discards?: true;
  /** JSON Schemas of objects. */
  readonly inputSchema: JsonObject;
  /** Arguments that only the route's parameters take: the body's schema is closed and does not name them. */
  readonly beside?: string[];
  readonly outputSchema?: JsonObject;
}

/** An interface as a tool of MCP (spec/surfaces 6). */
export interface McpToolPlan extends ToolPlan {
  /** Id of a declared server; absent: the default one. */
  readonly server?: string;
  /** The interface of the same config that says who sees the tool in the list. */
  readonly list_authorizer?: string;
  /** The configuration writes content of MCP (`$mcp`): without it no data that an answer holds become such content. */
  readonly content?: true;
  /** Arguments that requests repeat in headers. */
  readonly headers?: readonly McpParamHeader[];
}

/** An argument that a request of a newer client repeats in the header `Mcp-Param-<name>`: `x-mcp-header` of its schema. */
export interface McpParamHeader {
  readonly name: string;
  readonly path: readonly string[];
  /** True when the argument is compared by its value as a number, so that `42.0` is 42. */
  readonly number?: true;
}

/** An entry of `mcp_servers`. */
export interface McpServerPlan {
  readonly id: string;
  readonly title?: string;
  readonly instructions?: string;
  readonly default?: true;
}
