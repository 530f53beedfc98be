import { Client, type FetchLike, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { modelToolName } from "../../../formats/tool-name.ts";
import { isSecureWay } from "../../../outgoing/secure-way.ts";
import { touches } from "../../../outgoing/touches.ts";
import type { Act } from "../../../run/run.ts";
import { Failure } from "../../../value/failure.ts";
import { asList, isObject, type Json, type JsonObject, own } from "../../../value/json.ts";
import { messageOf } from "../../../value/thrown.ts";
import { plainBytes } from "../http/decode.ts";
import { exchange } from "../http/exchange.ts";
import { headersOf } from "../http/headers.ts";
import { measured } from "../http/measured.ts";
import { faultOf, type Offered, sayLeftOut } from "./mcp-offers.ts";
import { answers, holds, isResumable, until } from "./mcp-stream.ts";
import { confirmationOf, type Tool, type ToolArgs, type ToolOutcome, verbOf } from "./tool.ts";

// The only file that imports the client of MCP, which knows what the versions of the protocol say.

/** choice: bounds of what a server may offer, and of how often it may break its streams off. */
const bounds = { pages: 20, description: 4096, resumptions: 50 };

/** The tools of a server, and what ends the connection. */
export interface McpTools {
  readonly tools: readonly Tool[];
  readonly close: () => Promise<void>;
}

type ToolDefinition = NonNullable<NonNullable<Parameters<Client["callTool"]>[1]>["toolDefinition"]>;
type Server = NonNullable<ToolArgs["mcp"]>;

/**
 * Connects to a server in either era of the protocol and gives the tools that are allowed. The list of the server is not trusted. Each tool
 * needs a valid schema and a name of visible characters, and its description is cut. An allowed tool that is missing fails the action.
 */
export async function mcpTools(act: Act, entry: ToolArgs, server: Server): Promise<McpTools> {
  const { allow = [] } = entry;
  const wire = new Wire(act, server);
  try {
    await wire.connect();
    const offered = await wire.list();
    const isAny = allow.includes("*");
    const chosen = isAny ? offered : offered.filter((tool) => allow.includes(tool.name));
    const missing = allow.find((each) => each !== "*" && !chosen.some((tool) => tool.name === each));
    if (missing !== undefined) throw failed(`${wire.host} offers no tool '${missing}'`);
    const left: [name: string, fault: string][] = [];
    const tools = chosen.flatMap((tool) => {
      const fault = faultOf(act, tool, wire.repeats);
      if (fault === undefined) {
        touches(act.run, { kind: "tools", name: tool.name, of: wire.host, verb: verbOf(entry) });
        return [toolOf(wire, tool, entry)];
      }
      if (!isAny) throw failed(`the tool '${tool.name}' of ${wire.host} cannot be used: ${fault}`);
      left.push([tool.name, fault]);
      return [];
    });
    sayLeftOut(act, wire.host, left);
    return { tools, close: () => wire.close() };
  } catch (error) {
    await wire.close();
    throw wire.failureOf(error);
  }
}

const failed = (reason: string): Failure => new Failure("transport", `agent: ${reason}`, { upstream: 502 });

function toolOf(wire: Wire, offered: Offered, entry: ToolArgs): Tool {
  const { name: prefix } = entry;
  const { name, description = "", inputSchema } = offered;
  return {
    name: modelToolName(prefix === undefined ? name : `${prefix}_${name}`),
    description: description.slice(0, bounds.description),
    schema: inputSchema,
    confirmation: confirmationOf(entry),
    run: (_, args) => wire.call(offered, args),
  };
}

/** The connection to a server, for one run. Each request is a call as those of `http`. */
class Wire {
  readonly #act: Act;
  readonly #timeout: number;
  readonly #url: URL;
  readonly #client: Client;
  readonly #transport: StreamableHTTPClientTransport;
  /** The last request that has failed: the client would hide why. */
  #failure: Failure | undefined;
  #resumptions = 0;

  constructor(act: Act, { url, headers, timeout }: Server) {
    this.#act = act;
    this.#timeout = timeout ?? 30_000;
    this.#url = addressOf(url);
    // The library sets `accept` itself.
    const { accept: _, ...mine } = Object.fromEntries(headersOf(headers ?? {}));
    this.#transport = new StreamableHTTPClientTransport(this.#url, { fetch: this.#fetch, requestInit: { headers: mine } });
    this.#client = new Client(
      { name: "pipewright", version: "1" },
      {
        versionNegotiation: { mode: "auto" },
        // Our own validators check arguments: they compile schemas with patterns in linear time.
        jsonSchemaValidator: { getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }) }, // whatever it is
      },
    );
  }

  get host(): string {
    return this.#url.host;
  }

  get #options() {
    return { signal: this.#act.signal, timeout: this.#timeout, maxTotalTimeout: this.#timeout };
  }

  connect(): Promise<void> {
    // The library declares an id that may be undefined, which its own interface leaves out.
    return this.#client.connect(this.#transport as Parameters<Client["connect"]>[0], this.#options);
  }

  /** True when arguments are repeated in headers, where a schema says so. */
  get repeats(): boolean {
    return this.#client.getProtocolEra() === "modern";
  }

  /** Lists all tools. The library's own list of all pages prints names as the server has sent them, so the pages are asked for here. */
  async list(): Promise<readonly Offered[]> {
    if (this.#client.getServerCapabilities()?.tools === undefined) return [];
    const all: Offered[] = [];
    let cursor: string | undefined;
    let before = "";
    for (let pages = 0; pages < bounds.pages; pages++) {
      const params = cursor === undefined ? {} : { params: { cursor } };
      const page = await this.#client.request({ method: "tools/list", ...params }, this.#options);
      const text = JSON.stringify(page.tools);
      // A server that does not know pages would give the first page for ever.
      if (page.nextCursor === cursor && text === before) return all;
      // The library has checked that each has a name and a schema of an object.
      all.push(...(page.tools as readonly Offered[]));
      if (page.nextCursor === undefined) return all;
      cursor = page.nextCursor;
      before = text;
    }
    throw failed(`${this.host} has more than ${bounds.pages} pages of tools`);
  }

  async call(tool: Offered, args: JsonObject): Promise<ToolOutcome> {
    try {
      // With the definition at hand the library does not list the tools to find it.
      const options = { ...this.#options, toolDefinition: tool as unknown as ToolDefinition }; // the library has given it
      const result = await this.#client.callTool({ name: tool.name, arguments: args }, options);
      return outcomeOf(result as unknown as JsonObject); // the library reads JSON
    } catch (error) {
      this.#act.throwIfCancelled();
      if (this.#failure?.kind === "manifest") throw this.#failure;
      return { ok: false, text: `the server has failed: ${reasonOf(this.#failure ?? error)}` };
    }
  }

  /** The failure of the action. A reason of the network or of the manifest is preferred to the words of the client. */
  failureOf(error: unknown): Failure {
    if (error instanceof Failure) return error;
    if (this.#failure?.kind === "manifest") return this.#failure;
    return failed(`the MCP server ${this.host} cannot be used: ${reasonOf(this.#failure ?? error)}`);
  }

  async close(): Promise<void> {
    // A server with a session is told that the session has ended; an error of this request is ignored.
    if (this.#transport.sessionId !== undefined && !this.#act.cancellation.aborted)
      await this.#transport.terminateSession().catch(() => undefined);
    await this.#client.close().catch(() => undefined);
  }

  readonly #fetch: FetchLike = async (to, init = {}) => {
    const { method = "GET", body } = init;
    const headers = new Headers(init.headers);
    if (method === "GET" && !this.#mayListen(headers)) return new Response(null, { status: 405 });
    const isAnswer = answers(body);
    const url = new URL(to);
    const { host } = this.#act.run;
    try {
      const call = {
        ...{ method, url, query: url.search, headers: new Map(headers), body: typeof body === "string" ? body : null },
        ...{ timeout: this.#timeout, connectTimeout: 10_000, idleTimeout: null, streams: false, transport: undefined },
        tap: until(isAnswer),
      };
      const answer = await measured(this.#act, () => exchange(this.#act, call, host.monotonic() + this.#timeout));
      const bytes = await plainBytes(answer, host.limits.maxResponseBytes);
      const type = answer.headers["content-type"];
      // The body is complete and holds no answer, for which the library would wait in vain. An older server may refuse a request in this
      // way.
      if (answer.status < 300 && !holds(bytes, type, isAnswer) && !isResumable(bytes, type))
        return new Response("the server has sent no answer", { status: 400 });
      const isBare = answer.status < 200 || [204, 205, 304].includes(answer.status);
      return new Response(isBare ? null : new Uint8Array(bytes), { status: answer.status, headers: plainHeaders(answer.headers) });
    } catch (error) {
      if (error instanceof Failure) this.#failure = error;
      throw error;
    }
  };

  /**
   * True when a GET may open a stream. A stream of notifications has no reader here and would stay open for ever. A broken stream may be
   * resumed, a bounded number of times.
   */
  #mayListen(headers: Headers): boolean {
    if (!headers.has("last-event-id")) return false;
    this.#resumptions += 1;
    return this.#resumptions <= bounds.resumptions;
  }
}

/** The configuration may take the address from the environment. */
function addressOf(text: string | null): URL {
  const url = text === null ? null : URL.parse(text);
  if (url === null || !isSecureWay(url)) throw new Failure("evaluation", "field url: an MCP server is called by https, or on this machine");
  return url;
}

function plainHeaders(headers: JsonObject): Headers {
  const out = new Headers();
  for (const [name, value] of Object.entries(headers))
    if (typeof value === "string" && name !== "content-encoding" && name !== "content-length") out.set(name, value);
  return out;
}

const reasonOf = (error: unknown): string => messageOf(error).slice(0, 500);

/** The texts of a result; of other parts the model learns only that they are there. */
function outcomeOf(result: JsonObject): ToolOutcome {
  const content = own(result, "content") ?? null;
  const texts = asList(content).map(textOfPart);
  const structured = own(result, "structuredContent");
  const text = texts.length === 0 && structured !== undefined ? JSON.stringify(structured) : texts.join("\n");
  return { ok: own(result, "isError") !== true, text };
}

function textOfPart(part: Json): string {
  if (!isObject(part)) return "";
  const { type, text, resource = null } = part;
  if (type === "text" && typeof text === "string") return text;
  const inside = isObject(resource) ? own(resource, "text") : undefined;
  return typeof inside === "string" ? inside : `[${String(type)}]`;
}
