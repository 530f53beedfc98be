import {
  type CallToolResult,
  createMcpHandler,
  type JSONRPCMessage,
  type ListToolsResult,
  ProtocolError,
  Server,
  type Transport,
} from "@modelcontextprotocol/server";
import { isObject, type JsonObject } from "../../json.ts";
import { parseJson } from "../../lib/json-text.ts";
import { product } from "../../lib/product.ts";
import type { Reply } from "../../reply.ts";
import type { Client } from "./client.ts";
import { type Envelope, type RpcMessage, versions } from "./envelope.ts";
import type { McpServer } from "./servers.ts";
import { freshness, listTools, resultOf } from "./tools.ts";

// The only file that imports the library of MCP: what the versions of the protocol say, its requests and its results, is its business.

const codes = { methodNotFound: -32601, invalidParams: -32602, internalError: -32603 } as const;

/** Who has sent a message, and what it was. */
export interface Conversation extends Envelope {
  readonly client: Client;
}

/** The answer to a message whose envelope is right. */
export async function speak(server: McpServer, conversation: Conversation): Promise<Reply> {
  const { message, isModern, client } = conversation;
  if (isModern) return modern(server, conversation);
  if (message.id === undefined) return accepted;
  const answer = await answered(serverFor(server, client, false), message);
  const { error } = answer;
  // To the library a request to begin that lacks something is a fault of its own.
  const isOurs = error !== undefined && isObject(error) && error.code === codes.internalError && message.method === "initialize";
  return json(200, isOurs ? { ...answer, error: { code: codes.invalidParams, message: "Invalid params" } } : answer);
}

const accepted: Reply = { status: 202, headers: {}, body: "" };

const json = (status: number, body: JsonObject): Reply => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

/** The tools of an identity, for one client. */
function serverFor(server: McpServer, client: Client, isModern: boolean): Server {
  const { name, title, instructions, tools } = server;
  const info = { name, ...(title === undefined ? {} : { title }), version: product.version };
  const fresh = freshness(server);
  const found = new Server(info, {
    capabilities: { tools: {} },
    ...(instructions === undefined ? {} : { instructions }),
    cacheHints: { "server/discover": { ttlMs: 60_000, cacheScope: "public" }, "tools/list": fresh },
  });
  found.setRequestHandler("tools/list", async ({ params }) => {
    const page = await listTools(server, client, params?.cursor);
    if (page === undefined) throw new ProtocolError(codes.invalidParams, "Invalid params: unknown cursor");
    return page as ListToolsResult; // the schemas in it are those of objects, by the plan
  });
  found.setRequestHandler("tools/call", async ({ params }) => {
    const tool = tools.get(params.name);
    if (tool === undefined) throw new ProtocolError(codes.invalidParams, "Unknown tool");
    // The library has read the arguments from JSON, and looks at the result itself.
    return resultOf(tool, await client.call(tool, (params.arguments ?? {}) as JsonObject), isModern) as CallToolResult;
  });
  return found;
}

/** Versions whose requests stand alone: the library checks headers and `_meta`, and says what a result has besides. */
async function modern(server: McpServer, { message, client }: Conversation): Promise<Reply> {
  // The library would keep a stream open for news, which there never are.
  if (message.method === "subscriptions/listen") {
    return json(404, { jsonrpc: "2.0", id: message.id ?? null, error: { code: codes.methodNotFound, message: "Method not found" } });
  }
  const handler = createMcpHandler(() => serverFor(server, client, true), { legacy: "reject" });
  const request = new Request("http://localhost/mcp", { method: "POST", headers: headersFor(client) });
  const response = await handler.fetch(request, { parsedBody: message });
  const text = await response.text();
  await handler.close();
  const body = message.method === "server/discover" ? allVersions(text) : text;
  const type = response.headers.get("content-type");
  return { status: response.status, headers: type === null ? {} : { "content-type": type }, body };
}

/** Those that say something of the message; an answer is always JSON, whatever the client would take besides. */
function headersFor({ headers }: Client): Headers {
  const out = new Headers({ "content-type": "application/json", accept: "application/json, text/event-stream" });
  for (const [name, value] of Object.entries(headers)) if (/^mcp-/.test(name) && typeof value === "string") out.set(name, value);
  return out;
}

/** Clients of older versions are served, too. */
function allVersions(text: string): string {
  const answer = parseJson(text);
  if (answer === undefined || !isObject(answer) || answer.result === undefined || !isObject(answer.result)) return text;
  return JSON.stringify({ ...answer, result: { ...answer.result, supportedVersions: [...versions] } });
}

/** One request and its answer, without any connection. */
async function answered(server: Server, message: RpcMessage): Promise<JsonObject> {
  const { promise, resolve } = Promise.withResolvers<JsonObject>();
  const transport: Transport = {
    start: async () => undefined,
    close: async () => undefined,
    send: async (answer) => resolve(answer as unknown as JsonObject), // the library makes JSON
  };
  await server.connect(transport);
  transport.onmessage?.(message as JSONRPCMessage); // by envelopeOf
  const answer = await promise;
  await server.close();
  return answer;
}
