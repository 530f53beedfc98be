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
import { mostFields } from "../../formats/form.ts";
import { tooLong } from "../../formats/json-writing.ts";
import { product } from "../../process/product.ts";
import type { Reply } from "../../run/response.ts";
import { asObject, isObject, type Json, type JsonObject, own } from "../../value/json.ts";
import type { Client } from "./client.ts";
import { disagreement, type Envelope, headerMismatch, legacyVersions, type RpcMessage, versions } from "./envelope.ts";
import { mismatchOf } from "./param-headers.ts";
import type { McpServer, Tool } from "./servers.ts";
import { freshness, listTools, ownResult, plainResult } from "./tools.ts";

// The only file that imports the library of MCP, which knows the versions of the protocol with their requests and results.

const codes = { methodNotFound: -32601, invalidParams: -32602, internalError: -32603 } as const;

const internalError = "Internal error";

/** An envelope together with the client that has sent it. */
export interface Conversation extends Envelope {
  readonly client: Client;
}

/** The answer to a message whose envelope is valid. */
export async function speak(server: McpServer, conversation: Conversation): Promise<Reply> {
  const { message, isModern } = conversation;
  if (isTooWide(message)) return tooWide(message);
  if (isModern) return modern(server, conversation);
  if (message.id === undefined) return accepted;
  return json(200, blamed(await answered(serverFor(server, conversation), message)));
}

const accepted: Reply = { status: 202, headers: {}, body: "" };

/** True when the parameters, or one of them, have more names than a form may have fields: the library copies all names of both at once. */
const isTooWide = ({ params = {} }: RpcMessage): boolean =>
  [params, ...Object.values(params)].some((each) => isObject(each) && Object.keys(each).length > mostFields);

const tooWide = ({ id }: RpcMessage): Reply =>
  id === undefined
    ? accepted
    : json(200, { jsonrpc: "2.0", id, error: { code: codes.invalidParams, message: `Invalid params: more than ${mostFields} names` } });

/**
 * Rewrites errors about parameters of the wrong type: the library reports them with the text of its parser, and some with a code of its
 * own; all become the same error.
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

/** The library's server with the tools of an identity, for one client. */
function serverFor(server: McpServer, { client, message, isModern }: Conversation): Server {
  const { name, title, instructions, tools } = server;
  const info = { name, ...(title === undefined ? {} : { title }), version: product.version };
  const fresh = freshness(server);
  const endpoint = new Server(info, {
    capabilities: { tools: {} },
    // Without this list, the library would agree to versions that later requests could not use.
    supportedProtocolVersions: [...(isModern ? versions : legacyVersions)],
    ...(instructions === undefined ? {} : { instructions }),
    cacheHints: { "server/discover": { ttlMs: 60_000, cacheScope: "public" }, "tools/list": fresh },
  });
  endpoint.setRequestHandler("tools/list", ({ params }) =>
    guarded(client, async () => {
      const page = await listTools(server, client, params?.cursor);
      if (page === undefined) throw new ProtocolError(codes.invalidParams, "Invalid params: unknown cursor");
      return page as ListToolsResult; // the plan allows only schemas of objects in it
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

/** The arguments of a call as they were sent. The library's checked copy lacks a member with the name `__proto__`. */
function argumentsIn({ params = {} }: RpcMessage): JsonObject {
  const args = own(params, "arguments") ?? null;
  return asObject(args);
}

/**
 * The result of a call. The client always gets a refusal by the network policy, but the outcome of a run only if it is meant for its caller
 * (spec/language 7.6).
 */
async function resultOf(tool: Tool, client: Client, args: JsonObject, isModern: boolean): Promise<JsonObject> {
  const denial = client.denial(tool);
  const reply = denial ?? bounded(await client.call(tool, args));
  if (denial === undefined && tool.spec.discards) return { content: [], isError: false };
  const content = tool.spec.content === true ? ownResult(reply) : undefined;
  return content !== undefined && isCallToolResult(content) ? content : plainResult(tool, reply, isModern);
}

/** The most characters of a tool's answer, because the library reads and writes its result at once (spec/surfaces 6). */
const longestResult = 16_777_216;

/** The answer of a run, or an error if it is too long for a result. */
const bounded = (reply: Reply): Reply =>
  reply.body.length > longestResult
    ? jsonText(500, JSON.stringify({ error: "response failed", message: tooLong(longestResult).message }))
    : reply;

/** Handles an error that no feature meant to throw here, because the library would show it to the client and log nothing. */
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
 * Answers in versions in which each request stands alone: the library checks headers and `_meta`, and adds the further members of a result.
 */
async function modern(server: McpServer, conversation: Conversation): Promise<Reply> {
  const { message, client } = conversation;
  // The library would keep a stream open for notifications, which this server never sends.
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
  // The library has written a result as it is sent, and only one method needs a change.
  if (message.method !== "server/discover" && !text.includes('"error"')) return jsonText(response.status, text);
  const answer = blamed(JSON.parse(text) as JsonObject); // the library makes JSON
  const status = codeOf(answer) === headerMismatch ? 400 : response.status;
  return json(status, message.method === "server/discover" ? allVersions(answer) : answer);
}

type RequestRoute = Extract<InboundModernRoute, { messageKind: "request" }>;

/**
 * The direct way for a request for tools, or for a call of an existing tool, when its headers repeat the message exactly. All other
 * requests go to the handler of the library, which knows other spellings of a header, and the answers to wrong ones.
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

/** Takes the single answer directly: the handler of the library would put it into a `Response`, from which it had to be read again. */
class Exchange extends PerRequestHTTPServerTransport {
  readonly #answer = Promise.withResolvers<JsonObject>();

  get answer(): Promise<JsonObject> {
    return this.#answer.promise;
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    this.#answer.resolve(message as unknown as JsonObject); // the library makes JSON
  }
}

/** Handles one request of a version in which each stands alone. The server is for this request only, and is then garbage. */
async function exchanged(server: Server, { classification, message }: RequestRoute): Promise<JsonObject> {
  const exchange = new Exchange({ classification });
  await server.connect(exchange);
  exchange.onmessage?.(message, { classification });
  return exchange.answer;
}

/** The library's handler for a server, and the client of each of its requests. */
interface Handler {
  readonly handler: McpHttpHandler;
  readonly conversations: WeakMap<Request, Conversation>;
}

const handlers = new WeakMap<McpServer, Handler>();

/** One handler answers all clients of a server: for each request it asks for the tools of its client. */
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

/** The headers that describe the message. The answer is always JSON, whatever other types the client would accept. */
function headersFor({ headers }: Client): Headers {
  const out = new Headers({ "content-type": "application/json", accept: "application/json, text/event-stream" });
  for (const [name, value] of Object.entries(headers)) if (/^mcp-/.test(name) && typeof value === "string") out.set(name, value);
  return out;
}

/** Adds the older versions to the list of supported ones. */
const allVersions = (answer: JsonObject): JsonObject =>
  answer.result === undefined || !isObject(answer.result)
    ? answer
    : { ...answer, result: { ...answer.result, supportedVersions: [...versions] } };

/** Handles one request without a connection. The library gives no answer to a message that it does not count as a request. */
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
