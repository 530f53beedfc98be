import type * as present from "../features/actions/agent/mcp-tools.ts";

export const mcpTools: typeof present.mcpTools = () => {
  throw new TypeError("tools of a server that the bundle was not linked for");
};
