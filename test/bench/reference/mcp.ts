import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";

// The tool of W11 as the official SDK has it. One server is made for a request, as its handler wants.

interface Order {
  sku: string;
  quantity: number;
}

// Compiled once: the SDK would compile the schema for each server.
const inputSchema = fromJsonSchema<Order>({
  type: "object",
  required: ["sku", "quantity"],
  properties: { sku: { type: "string" }, quantity: { type: "integer", minimum: 1, maximum: 100 } },
});

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: "bench", version: "1" });
  server.registerTool("w11", { title: "Adds what an order costs", inputSchema }, async ({ sku, quantity }) => {
    const result = { sku, quantity, open: true };
    return { content: [{ type: "text", text: JSON.stringify(result) }], structuredContent: result };
  });
  return server;
});

/** Answers a request whose body was read and parsed already. */
export async function callTool(
  headers: Record<string, string | string[] | undefined>,
  parsedBody: unknown,
): Promise<{ status: number; body: string }> {
  const plain = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  const request = new Request("http://127.0.0.1/mcp", { method: "POST", headers: plain, body: "{}" });
  const response = await handler.fetch(request, { parsedBody });
  return { status: response.status, body: await response.text() };
}
