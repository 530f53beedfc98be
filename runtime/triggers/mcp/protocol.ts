import {
  type CallToolResult,
  classifyInboundRequest,
  createMcpHandler,
  type InboundModernRoute,
  isCallToolResult,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type ListToolsResult,
  type McpHttpHandler,
  type McpRequestContext,
  PerRequestHTTPServerTransport,
  ProtocolError,
  Server,
  type Transport,
} from "@modelcontextprotocol/server";
import { tooLong } from "../../formats/json-writing.ts";
import { product } from "../../process/product.ts";
import type { Reply } from "../../run/response.ts";
import { isObject, type Json, type JsonObject, own } from "../../value/json.ts";
import type { Client } from "./client.ts";
import { disagreement, type Envelope, headerMismatch, legacyVersions, type RpcMessage, versions } from "./envelope.ts";
import { mismatchOf } from "./param-headers.ts";
import type { McpServer, Tool } from "./servers.ts";
import { freshness, listTools, ownResult, plainResult } from "./tools.ts";

// The only file that imports the library of MCP, which knows what the versions of the protocol say, their requests and their results.

const codes = { methodNotFound: -32601, invalidParams: -32602, internalError: -32603 } as const;

const internalError = "Internal error";

/** An envelope together with the client that has sent it. */
export interface Conversation extends Envelope {
  readonly client: Client;
}

/** The answer to a message whose envelope is right. */
export async function speak(server: McpServer, conversation: Conversation): Promise<Reply> {
  const { message, isModern } = conversation;
  if (isModern) return modern(server, conversation);
  if (message.id === undefined) return accepted;
  return json(200, blamed(await answered(serverFor(server, conversation), message)));
}

const accepted: Reply = { status: 202, headers: {}, body: "" };

/**
 * The library reports parameters of the wrong type with the text of its parser, and some as an error of its own: all are made the same
 * error of the client.
 */
function blamed(answer: JsonObject): JsonObject {
  const { error } = answer;
  if (error === undefined || !isObject(error)) return answer;
  const { code, message } = error;
  const isParsers =
    code === codes.invalidParams
      ? /^Invalid \S+ request: /.test(String(message))
      : code === codes.internalError && message !== internalError;
  return isParsers ? { ...answer, error: { code: codes.invalidParams, message: "Invalid params" } } : answer;
}

const json = (status: number, body: JsonObject): Reply => jsonText(status, JSON.stringify(body));

const jsonText = (status: number, body: string): Reply => ({ status, headers: { "content-type": "application/json" }, body });

/** The tools of an identity, for one client. */
function serverFor(server: McpServer, { client, message, isModern }: Conversation): Server {
  const { name, title, instructions, tools } = server;
  const info = { name, ...(title === undefined ? {} : { title }), version: product.version };
  const fresh = freshness(server);
  const endpoint = new Server(info, {
    capabilities: { tools: {} },
    // Otherwise the library agrees to versions of its own, which the next request could not have.
    supportedProtocolVersions: [...(isModern ? versions : legacyVersions)],
    ...(instructions === undefined ? {} : { instructions }),
    cacheHints: { "server/discover": { ttlMs: 60_000, cacheScope: "public" }, "tools/list": fresh },
  });
  endpoint.setRequestHandler("tools/list", ({ params }) =>
    guarded(client, async () => {
      const page = await listTools(server, client, params?.cursor);
      if (page === undefined) throw new ProtocolError(codes.invalidParams, "Invalid params: unknown cursor");
      return page as ListToolsResult; // the schemas in it are those of objects, by the plan
    }),
  );
  endpoint.setRequestHandler("tools/call", ({ params }) =>
    guarded(client, async () => {
      const tool = tools.get(params.name);
      if (tool === undefined) throw new ProtocolError(codes.invalidParams, "Unknown tool");
      const args = argumentsIn(message);
      const wrong = isModern ? mismatchOf(tool.spec.headers ?? [], args, client.headers) : undefined;
      if (wrong !== undefined) {
        const { error } = disagreement(null, wrong.header, wrong.reason);
        throw new ProtocolError(error.code, error.message, error.data);
      }
      // The library checks the result itself.
      return (await resultOf(tool, client, args, isModern)) as CallToolResult;
    }),
  );
  return endpoint;
}

/** The arguments of a call as they were sent. The library has looked at them, and its copy lacks a member with the name `__proto__`. */
function argumentsIn({ params = {} }: RpcMessage): JsonObject {
  const args = own(params, "arguments") ?? null;
  return isObject(args) ? args : {};
}

/**
 * The result of a call. The client always learns of a refusal by the network policy, and of the outcome of a run only if the outcome is
 * meant for its caller (spec/language 7.6).
 */
async function resultOf(tool: Tool, client: Client, args: JsonObject, isModern: boolean): Promise<JsonObject> {
  const denial = client.denial(tool);
  const reply = denial ?? bounded(await client.call(tool, args));
  if (denial === undefined && tool.spec.discards) return { content: [], isError: false };
  const content = tool.spec.content === true ? ownResult(reply) : undefined;
  return content !== undefined && isCallToolResult(content) ? content : plainResult(tool, reply, isModern);
}

/** Characters of the answer of a tool: the library reads and writes its result at one go (spec/surfaces 6). */
const longestResult = 16_777_216;

/** The answer of a run as a result can hold it. */
const bounded = (reply: Reply): Reply =>
  reply.body.length > longestResult
    ? jsonText(500, JSON.stringify({ error: "response failed", message: tooLong(longestResult).message }))
    : reply;

/** Catches an error that no feature meant to throw: the library would tell it to the client and to nobody else. */
async function guarded<R>(client: Client, work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    client.bug(error);
    throw new ProtocolError(codes.internalError, internalError);
  }
}

/**
 * Answers in versions where each request stands alone: the library checks headers and `_meta`, and adds the further members of a result.
 */
async function modern(server: McpServer, conversation: Conversation): Promise<Reply> {
  const { message, client } = conversation;
  // The library would keep a stream open for news, which there never are.
  if (message.method === "subscriptions/listen") {
    return json(404, { jsonrpc: "2.0", id: message.id ?? null, error: { code: codes.methodNotFound, message: "Method not found" } });
  }
  const route = plainRoute(server, conversation);
  if (route !== undefined) {
    const answer = blamed(await exchanged(serverFor(server, conversation), route));
    return json(codeOf(answer) === headerMismatch ? 400 : 200, answer);
  }
  const { handler, conversations } = handlerOf(server);
  const request = new Request("http://localhost/mcp", { method: "POST", headers: headersFor(client) });
  conversations.set(request, conversation);
  const response = await handler.fetch(request, { parsedBody: message });
  const text = await response.text();
  if (text === "") return { status: response.status, headers: {}, body: "" };
  // A result needs no change, but for one method: the library has written it as it is sent.
  if (message.method !== "server/discover" && !text.includes('"error"')) return jsonText(response.status, text);
  const answer = blamed(JSON.parse(text) as JsonObject); // the library makes JSON
  const status = codeOf(answer) === headerMismatch ? 400 : response.status;
  return json(status, message.method === "server/discover" ? allVersions(answer) : answer);
}

type RequestRoute = Extract<InboundModernRoute, { messageKind: "request" }>;

/**
 * The way of a request for tools, or of a call of one that there is, whose headers repeat the message letter for letter. About all others
 * the handler of the library decides: it knows the other spellings of a header, and what is answered where one is wrong.
 */
function plainRoute({ tools }: McpServer, { message, client: { headers } }: Conversation): RequestRoute | undefined {
  const { method, params } = message;
  const version = headers["mcp-protocol-version"];
  if (typeof version !== "string" || headers["mcp-method"] !== method) return undefined;
  const name = params?.name;
  const isCall = method === "tools/call" && typeof name === "string" && tools.has(name) && headers["mcp-name"] === name;
  if (!isCall && method !== "tools/list") return undefined;
  const route = classifyInboundRequest({ httpMethod: "POST", protocolVersionHeader: version, mcpMethodHeader: method, body: message });
  return route.kind === "modern" && route.messageKind === "request" ? route : undefined;
}

/** Takes the one answer as it is: the handler of the library would put it into a `Response`, of which we would read it again. */
class Exchange extends PerRequestHTTPServerTransport {
  readonly #answer = Promise.withResolvers<JsonObject>();

  get answer(): Promise<JsonObject> {
    return this.#answer.promise;
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    this.#answer.resolve(message as unknown as JsonObject); // the library makes JSON
  }
}

/** Handles one request of a version where each stands alone. The server has no other and is left to the collector of garbage. */
async function exchanged(server: Server, { classification, message }: RequestRoute): Promise<JsonObject> {
  const exchange = new Exchange({ classification });
  await server.connect(exchange);
  exchange.onmessage?.(message, { classification });
  return exchange.answer;
}

/** The handler of the library for a server, and who has sent each of its requests. */
interface Handler {
  readonly handler: McpHttpHandler;
  readonly conversations: WeakMap<Request, Conversation>;
}

const handlers = new WeakMap<McpServer, Handler>();

/** One handler answers all clients of a server: it asks for the tools of each client anew. */
function handlerOf(server: McpServer): Handler {
  const present = handlers.get(server);
  if (present !== undefined) return present;
  const conversations: Handler["conversations"] = new WeakMap();
  const factory = ({ requestInfo }: McpRequestContext): Server => {
    const conversation = requestInfo === undefined ? undefined : conversations.get(requestInfo);
    if (conversation === undefined) throw new Error("the library has changed the request");
    return serverFor(server, conversation);
  };
  const handler = { handler: createMcpHandler(factory, { legacy: "reject" }), conversations };
  handlers.set(server, handler);
  return handler;
}

const codeOf = ({ error }: JsonObject): Json => (error !== undefined && isObject(error) ? (error.code ?? null) : null);

/** The headers that say something of the message; an answer is always JSON, whatever the client would take besides. */
function headersFor({ headers }: Client): Headers {
  const out = new Headers({ "content-type": "application/json", accept: "application/json, text/event-stream" });
  for (const [name, value] of Object.entries(headers)) if (/^mcp-/.test(name) && typeof value === "string") out.set(name, value);
  return out;
}

/** Clients of older versions are served, too. */
const allVersions = (answer: JsonObject): JsonObject =>
  answer.result === undefined || !isObject(answer.result)
    ? answer
    : { ...answer, result: { ...answer.result, supportedVersions: [...versions] } };

/** Handles one request without any connection. The library gives no answer to a message that it does not take for a request. */
async function answered(server: Server, message: RpcMessage): Promise<JsonObject> {
  const failed = { jsonrpc: "2.0", id: message.id ?? null };
  if (!isJSONRPCRequest(message)) return { ...failed, error: { code: codes.invalidParams, message: "Invalid params" } };
  const { promise, resolve } = Promise.withResolvers<JsonObject>();
  const transport: Transport = {
    start: async () => undefined,
    close: async () => undefined,
    send: async (answer) => resolve(answer as unknown as JsonObject), // the library makes JSON
  };
  server.onerror = () => resolve({ ...failed, error: { code: codes.internalError, message: internalError } });
  await server.connect(transport);
  transport.onmessage?.(message);
  const answer = await promise;
  await server.close();
  return answer;
}
