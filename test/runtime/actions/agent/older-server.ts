import type { Json, JsonObject } from "#runtime/value/json.ts";
import { type Stub, stub } from "../../../harness/sockets.ts";
import { kept } from "./desk.ts";

/** The interfaces of an agent with the tools of the server at `TOOLS`. */
export const agentWith = (tool: string): string => `
interfaces:
  a:
    output: http
    method: POST
    show_error_detail: true
    actions:
      - name: A
        agent:
          model: { api: openai, url: a|env::MODEL|, name: m1 }
          prompt: a|body::q|
          tools: [{ mcp: { url: a|env::TOOLS|, headers: { x-desk: a|var::DESK|, x-caller: "a|headers::x-who|" }, timeout: 5s }, ${tool} }]
`;

/** The results of tools that a model was given. */
export const toolTexts = (asked: JsonObject | undefined): readonly unknown[] =>
  ((asked?.messages ?? []) as JsonObject[]).flatMap(({ role, content }) => (role === "tool" ? [content] : []));

/** A server of the older era with a session, which answers `tools/call` as the test wants. */
export async function olderServer(tools: Json, result: (params: JsonObject) => Json, more: { readonly sse?: true } = {}): Promise<Stub> {
  const say = (id: Json, member: JsonObject): JsonObject => ({ jsonrpc: "2.0", id, ...member });
  return kept(
    await stub((response, { method = "" }, body) => {
      if (method !== "POST") {
        response.writeHead(method === "DELETE" ? 200 : 405).end();
        return;
      }
      const message = JSON.parse(body) as JsonObject; // the library sends JSON
      const { id, params } = message;
      if (id === undefined) {
        response.writeHead(202).end();
        return;
      }
      const answer = (member: JsonObject): void => {
        const text = JSON.stringify(say(id, member));
        response.setHeader("mcp-session-id", "s-1");
        response.writeHead(200, { "content-type": more.sse ? "text/event-stream" : "application/json" });
        response.end(more.sse ? `event: message\ndata: ${text}\n\n` : text);
      };
      switch (message.method) {
        case "initialize":
          answer({ result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "old", version: "1" } } });
          return;
        case "tools/list":
          answer({ result: { tools } });
          return;
        case "tools/call":
          answer({ result: result(params as JsonObject) });
          return;
        default:
          answer({ error: { code: -32601, message: "Method not found" } });
      }
    }),
  );
}

/** A tool as such a server offers it. */
export const plain = (name: string, schema: JsonObject = { type: "object" }): JsonObject => ({
  name,
  description: `${name} it`,
  inputSchema: schema,
});
