import type { TriggerFeature } from "../../features/feature.ts";

export const spec: TriggerFeature = {
  summary: "Offers the interface as an MCP tool.",
  planned: true,
  schema: {
    title: "McpTool",
    type: "object",
    additionalProperties: false,
    properties: {
      enabled: { type: "boolean", context: "start", default: false, description: "Whether it is offered." },
      tool_name: { type: "string", context: "static", description: "Name of the tool, by default that of the interface." },
      description: { type: "string", context: "static", description: "Description, by default that of the interface." },
      list_authorizer: {
        type: "string",
        context: "static",
        names: "interface",
        description: "Interface that decides who sees the tool in the list.",
      },
      server: { type: "string", context: "static", names: "server", description: "Server that offers it, by default the default one." },
    },
  },
};
