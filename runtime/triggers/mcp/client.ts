import { ipOf } from "../../network/chain.ts";
import type { Caller } from "../../network/gate.ts";
import { hopsName, hopsOf } from "../../outgoing/hops.ts";
import type { Host } from "../../process/host.ts";
import type { Interface, Target } from "../../run/interface.ts";
import { LiveRun } from "../../run/live-run.ts";
import { clientGone } from "../../run/refusals.ts";
import { bareRequest } from "../../run/request.ts";
import type { Reply } from "../../run/response.ts";
import type { Run } from "../../run/run.ts";
import { attributesOf as attributesOfRun } from "../../tracing/run-span.ts";
import type { Attributes, TraceSpan } from "../../tracing/tracer.ts";
import { type JsonObject, put } from "../../value/json.ts";
import { stackOf } from "../../value/thrown.ts";
import { authorize } from "../authorize.ts";
import { denialOf } from "../denial.ts";
import type { EndpointRequest } from "../endpoint.ts";
import { beginRun } from "../message-run.ts";
import { bodyIn, paramsIn } from "./arguments.ts";
import type { Tool } from "./servers.ts";

/** Hop-by-hop headers (RFC 9110, 7.6.1), and the header with this server's host: runs do not see them. */
const ofTheHop: ReadonlySet<string> = new Set(
  "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade host content-length".split(
    " ",
  ),
);

/** Headers of which a request needs at least one when the caller has to identify itself (spec/surfaces 6). */
const credentials: readonly string[] = ["authorization", "airpipe-jwt", "x-api-key", "cookie"];

const goneReason = "client went away";

/** A caller of tools: the part of its request that runs see, and the signal that ends its runs when the request is aborted. */
export class Client {
  readonly #host: Host;
  readonly #request: EndpointRequest;
  readonly #headers: JsonObject;
  /** Runs that are abandoned when the client disconnects. */
  readonly #runs = new Set<Run>();
  /** The span of the request, in the caller's trace, if it names one; it contains its runs. */
  readonly #span: TraceSpan | undefined;

  constructor(host: Host, request: EndpointRequest) {
    const { message, response } = request;
    this.#host = host;
    this.#request = request;
    const headers = message.headers as JsonObject; // Node gives strings, and a list for set-cookie
    this.#headers = forwarded(headers);
    this.#span = host.tracer?.begin(`POST ${route(request)}`, "server", attributesOf(request), headers);
    response.once("close", () => {
      for (const run of this.#runs) run.abandon(goneReason);
      this.#span?.endWith(response.headersSent ? response.statusCode : clientGone);
    });
  }

  get headers(): JsonObject {
    return this.#headers;
  }

  /** True when the request carries a credential, which is not verified. */
  get isSomebody(): boolean {
    return credentials.some((name) => Object.hasOwn(this.#headers, name));
  }

  /** Runs the interface of a tool. The run has the id of the request, which is in its answer. */
  call(tool: Tool, args: JsonObject): Promise<Reply> {
    const run = this.#run(tool, tool.interface, "mcp", args, this.#request.id);
    // The client may have disconnected while its message was read.
    if (this.#request.response.destroyed) run.abandon(goneReason);
    else this.#runs.add(run);
    return new Promise((resolve) => {
      beginRun(run, (reply) => {
        this.#runs.delete(run);
        resolve(reply);
      });
    });
  }

  /** Asks the interface that decides which clients see a tool: only a status of 2xx grants it. */
  async maySee(tool: Tool, names: readonly string[], server: string): Promise<boolean> {
    const target = tool.config.interfaces.find(({ name }) => name === tool.spec.list_authorizer);
    if (target === undefined || !this.isSomebody) return false;
    return authorize(this.#run(tool, target, "authorizer", { server, tools: [...names] }), this.#caller);
  }

  /** The denial of an interface's network policy for this client; undefined when it admits the client. */
  denial(target: Target): Reply | undefined {
    return denialOf(target, this.#caller, this.#host);
  }

  get #caller(): Caller {
    const { message } = this.#request;
    return { headers: message.headers, peer: message.socket.remoteAddress };
  }

  /** Handles an error that no feature meant to throw: the client gets no detail, the log has the stack. */
  bug(error: unknown): void {
    this.#host.log("critical", "unexpected error in an exchange of MCP", { run_uuid: this.#request.id, stack: stackOf(error) });
  }

  #run({ config, spec }: Tool, target: Interface, trigger: string, args: JsonObject, id = this.#host.uuid()): Run {
    const { network } = target;
    const body = trigger === "mcp" ? bodyIn(args, spec) : args;
    const raw = JSON.stringify(body);
    const run = new LiveRun(this.#host, config, target, {
      ...bareRequest(this.#host, trigger),
      ...{ id, method: "POST", path: route(this.#request), headers: this.#headers, params: paramsIn(args) },
      ip: network === undefined ? ipOf(this.#caller) : network.ip(this.#caller, this.#host),
      hops: hopsOf(this.#headers[hopsName]),
      body,
      raw_body: raw,
      bytes: Buffer.from(raw),
    });
    if (this.#span !== undefined) run.span = this.#span.child(target.name, attributesOfRun(run));
    return run;
  }
}

const route = ({ message: { url = "" } }: EndpointRequest): string => url.replace(/\?.*$/s, "");

/** The attributes of the span of a request; an MCP server has no route except its path. */
const attributesOf = (request: EndpointRequest): Attributes => ({
  "http.request.method": "POST",
  "url.scheme": "http",
  "url.path": route(request),
  "http.route": route(request),
  "network.protocol.version": request.message.httpVersion,
});

/** Copies the token of `Authorization: Bearer` to `airpipe-jwt`, unless that header exists already. */
function forwarded(headers: JsonObject): JsonObject {
  const out: JsonObject = {};
  // A client lists further hop-by-hop headers in this one.
  const { connection } = headers;
  const names = new Set(typeof connection === "string" ? connection.split(",").map((name) => name.trim().toLowerCase()) : []);
  for (const [name, value] of Object.entries(headers)) if (!ofTheHop.has(name) && !names.has(name)) put(out, name, value);
  const [, token] = typeof headers.authorization === "string" ? (/^Bearer +(\S+) *$/i.exec(headers.authorization) ?? []) : [];
  if (token !== undefined && out["airpipe-jwt"] === undefined) out["airpipe-jwt"] = token;
  return out;
}
