import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Host } from "../host.ts";
import type { Config, Interface } from "../interface.ts";
import type { Json } from "../json.ts";
import { reply } from "../reply.ts";
import { Run } from "../run.ts";
import { answer } from "./http/answer.ts";
import { receive } from "./http/body.ts";
import type { Handler } from "./http/fastify.ts";
import { PendingRuns } from "./http/pending.ts";
import { type Refusal, refusals, refuse } from "./http/refusal.ts";
import { HttpRequest, paramsOf, type RequestTarget, requestTarget } from "./http/request.ts";
import { RequestIds } from "./http/request-ids.ts";
import { type Found, RouteTable } from "./http/routes.ts";
import { boundedServer, maxTarget, type Waits } from "./http/server.ts";

export interface HttpOptions {
  readonly host: Host;
  readonly configs: readonly Config[];
  /** Names of the needs that do not answer now, for `/readyz`. */
  readonly unmet: () => Promise<readonly string[]>;
  /** `table` (default): what an interface or a probe answers goes past Fastify; `fastify`: every request goes through it. The answers are the same. */
  readonly router?: Router;
  readonly waits?: Partial<Waits>;
}

export type Router = "table" | "fastify";

/** What a route leads to. */
type Endpoint =
  | { readonly config: Config; readonly interface: Interface }
  | { readonly service: (response: ServerResponse, id: string) => void };

type Match = Extract<Found<Endpoint>, { kind: "route" }>;

/** What becomes of a request before its body is read. Without a match it belongs to nobody here. */
type Judged =
  | { readonly refusal: Refusal; readonly allow?: readonly string[] }
  | { readonly target: RequestTarget; readonly match: Match | undefined };

const asJson = { "content-type": "application/json" };

/** Serves the interfaces of some configs over HTTP (surfaces.md 0 and 1). */
export class HttpTrigger {
  readonly #host: Host;
  readonly #unmet: () => Promise<readonly string[]>;
  readonly #routes = new RouteTable<Endpoint>();
  readonly #router: Router;
  readonly #ids: RequestIds;
  readonly #server: Server;
  readonly #pending: PendingRuns;
  #fastify: Promise<Handler> | undefined;
  #state: "serving" | "draining" | "closing" = "serving";

  constructor({ host, configs, unmet, router = "table", waits }: HttpOptions) {
    this.#host = host;
    this.#unmet = unmet;
    this.#router = router;
    this.#ids = new RequestIds(host.bytes);
    this.#pending = new PendingRuns(host);
    this.#server = boundedServer(this.#front, { request: 60_000, keepAlive: 75_000, ...waits });
    this.#routes.add("GET", "/livez", { service: (response, id) => this.#live(response, id) });
    this.#routes.add("GET", "/readyz", { service: (response, id) => this.#ready(response, id) });
    this.#addInterfaces(configs);
  }

  /** Starts to serve; gives the address as a URL. Rejects with the error of the socket. */
  async listen(address: string, port: number): Promise<string> {
    if (this.#router === "fastify") {
      this.#fastify = this.#loadFastify(this.#handle);
      await this.#fastify;
    }
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, address, () => {
        this.#server.off("error", reject);
        resolve();
      });
    });
    return urlOf(this.#server.address() as AddressInfo); // it listens on a port, not on a pipe
  }

  /**
   * Says that it is not ready, waits until balancers have noticed, stops accepting and lets what is under way end. False when the grace ran
   * out first: connections that were still open have been cut then.
   */
  async drain(noticeMs: number, graceMs: number): Promise<boolean> {
    this.#state = "draining";
    await sleep(noticeMs);
    this.#state = "closing";
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const ended = closed.then(() => this.#pending.ended()).then(() => true);
    const timer = new AbortController();
    const inTime = await Promise.race([ended, sleep(graceMs, false, { signal: timer.signal }).catch(() => false)]);
    timer.abort();
    if (!inTime) this.#server.closeAllConnections();
    return inTime;
  }

  #addInterfaces(configs: readonly Config[]): void {
    const { organisation, environment } = this.#host;
    const all = configs.flatMap((config) => config.interfaces.map((each) => ({ config, interface: each })));
    // The prefixed form comes second, so that a route which is spelled like that of another interface keeps its path.
    for (const prefix of ["/", `/${organisation}/${environment}/`]) {
      for (const endpoint of all) {
        const { http } = endpoint.interface;
        if (http !== undefined) this.#routes.add(http.method.toUpperCase(), prefix + http.route.replace(/^\//, ""), endpoint);
      }
    }
  }

  /** Every request comes here first. */
  readonly #front = (message: IncomingMessage, response: ServerResponse): void => {
    if (this.#router === "table") this.#handle(message, response);
    else this.#throughFastify(message, response);
  };

  readonly #handle = (message: IncomingMessage, response: ServerResponse): void => {
    const found = this.#find(message);
    if ("refusal" in found) refuse(response, found.refusal, this.#ids.of(message), found.allow);
    else if (found.match === undefined) this.#elsewhere(message, response);
    else this.#serve(message, response, found.match, found.target);
  };

  #find({ method = "GET", url = "/" }: IncomingMessage): Judged {
    if (this.#state === "closing") return { refusal: refusals.shuttingDown };
    if (url.length > maxTarget) return { refusal: refusals.uriTooLong };
    const target = requestTarget(url);
    if (target === undefined) return { refusal: refusals.invalidParam };
    const found = this.#routes.find(method, target.path);
    if (found.kind === "invalid") return { refusal: refusals.invalidParam };
    if (found.kind === "method") return { refusal: refusals.methodNotAllowed, allow: found.allow };
    return { target, match: found.kind === "route" ? found : undefined };
  }

  #serve(message: IncomingMessage, response: ServerResponse, match: Match, { path, query }: RequestTarget): void {
    const id = this.#ids.of(message);
    const { target: endpoint, names, values } = match;
    if ("service" in endpoint) {
      endpoint.service(response, id);
      return;
    }
    const params = paramsOf(query, names, values);
    if (params === undefined) {
      refuse(response, refusals.invalidParam, id);
      return;
    }
    receive(message, this.#host.limits.maxBodyBytes, (received) => {
      if ("code" in received) {
        refuse(response, received, id);
        return;
      }
      const request = new HttpRequest(message, id, path, params, received);
      this.#run(new Run(this.#host, endpoint.config, endpoint.interface, request), response);
    });
  }

  /** A run without anything to wait for is answered in the same turn of the event loop. */
  #run(run: Run, response: ServerResponse): void {
    try {
      run.interface.run(run);
    } catch (error) {
      this.#bug(error, response, run.id);
      return;
    }
    if (run.over) this.#answer(run, response);
    else this.#pending.add(run, response, () => this.#answer(run, response));
  }

  #answer(run: Run, response: ServerResponse): void {
    try {
      const sent = answer(response, reply(run), run.id, this.#state === "closing");
      if (!sent)
        this.#host.log("error", "PW909 the response is no valid HTTP message", { interface: run.interface.name, run_uuid: run.id });
    } catch (error) {
      this.#bug(error, response, run.id);
    }
  }

  /** What no feature meant to throw: the caller learns nothing, the log has the stack, the process lives. */
  #bug(error: unknown, response: ServerResponse, id: string): void {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#host.log("critical", "unexpected error in a run", { run_uuid: id, stack });
    if (response.headersSent) response.destroy();
    else refuse(response, refusals.internalError, id);
  }

  /** Paths that no interface has may belong to a plugin of Fastify, which is loaded when the first of them is asked for. */
  #elsewhere(message: IncomingMessage, response: ServerResponse): void {
    if (this.#router === "fastify") {
      this.#notFound(message, response);
      return;
    }
    this.#fastify ??= this.#loadFastify(this.#notFound);
    this.#throughFastify(message, response);
  }

  readonly #notFound = (message: IncomingMessage, response: ServerResponse): void => {
    refuse(response, refusals.notFound, this.#ids.of(message));
  };

  async #loadFastify(rest: Handler): Promise<Handler> {
    const { fastifyOn } = await import("./http/fastify.ts");
    return fastifyOn(this.#server, rest);
  }

  #throughFastify(message: IncomingMessage, response: ServerResponse): void {
    this.#fastify?.then((handle) => handle(message, response)).catch((error: unknown) => this.#bug(error, response, this.#ids.of(message)));
  }

  #live(response: ServerResponse, id: string): void {
    answer(response, { status: 200, headers: asJson, body: '{"status":"ok"}' }, id, false);
  }

  #ready(response: ServerResponse, id: string): void {
    const say = (status: number, body: Json): void => {
      answer(response, { status, headers: asJson, body: JSON.stringify(body) }, id, false);
    };
    if (this.#state !== "serving") {
      say(503, { status: "draining", unmet: [] });
      return;
    }
    this.#unmet().then(
      (unmet) => (unmet.length === 0 ? say(200, { status: "ready" }) : say(503, { status: "unready", unmet: [...unmet] })),
      (error: unknown) => this.#bug(error, response, id),
    );
  }
}

/** A wildcard address is reached by way of the loopback one. */
function urlOf({ address, port }: AddressInfo): string {
  const reached = address === "0.0.0.0" ? "127.0.0.1" : address === "::" ? "::1" : address;
  return `http://${reached.includes(":") ? `[${reached}]` : reached}:${port}`;
}
