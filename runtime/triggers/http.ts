import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { background } from "../background.ts";
import { Execution } from "../execution.ts";
import type { Host } from "../host.ts";
import type { Config, Interface, Target } from "../interface.ts";
import type { JsonObject } from "../json.ts";
import { hopsName, hopsOf, isTooDeep } from "../lib/hops.ts";
import { stackOf } from "../lib/stack-of.ts";
import { LiveRun } from "../live-run.ts";
import { ipOf } from "../network/chain.ts";
import { type Refusal, refusals } from "../refusals.ts";
import type { Reply } from "../response.ts";
import { attributesOf } from "../tracing/of-run.ts";
import { denialOf } from "./denial.ts";
import type { Documentation } from "./documentation.ts";
import { answer } from "./http/answer.ts";
import { HttpAsker } from "./http/asker.ts";
import { receive } from "./http/body.ts";
import { callerIdOf } from "./http/caller-id.ts";
import { Cors, isPreflight } from "./http/cors.ts";
import { healthPages, type OwnPage } from "./http/health.ts";
import { PendingRuns } from "./http/pending.ts";
import { refuse } from "./http/refusal.ts";
import { HttpRequest, paramsOf, type RequestTarget, requestTarget } from "./http/request.ts";
import { RequestIds } from "./http/request-ids.ts";
import { allowOf, type Found, type RouteTable } from "./http/routes.ts";
import { boundedServer, hasOneHost, listenAt, maxTarget, type Waits } from "./http/server.ts";
import { type Destination, routesOf } from "./http/table.ts";
import { Upgrades } from "./http/upgrade.ts";
import { watch } from "./http/watch.ts";
import type { Instead, Page } from "./pages.ts";
import type { UpgradePoint } from "./protocol.ts";

export interface HttpOptions {
  readonly host: Host;
  readonly configs: readonly Config[];
  /** The API documentation; absent where there is none. */
  readonly docs?: Documentation | undefined;
  /** Names of the needs that do not answer now, for `/readyz`. */
  readonly unmet: () => Promise<readonly string[]>;
  readonly waits?: Partial<Waits>;
  /** Origins of pages that may read answers; without one CORS is off. */
  readonly corsOrigins?: readonly string[];
  /** Further paths that the service answers. */
  readonly pages?: readonly Page[];
  /** In place of 404, where it gives something. */
  readonly instead?: Instead | undefined;
  /** API keys of the organisation, for connections that need one; none is right without. */
  readonly keys?: readonly string[] | undefined;
  /** Whether a key may stand in the query. */
  readonly queryKeys?: boolean | undefined;
}

type Match = Extract<Found<Destination>, { kind: "route" }>;

/** What becomes of a request before its body is read. Without a match it belongs to nobody here. */
type Judged =
  | { readonly refusal: Refusal; readonly allow?: readonly string[] }
  /** The network policy of the interface has turned the caller away. */
  | { readonly denial: Reply; readonly of?: Destination }
  | { readonly point: UpgradePoint<Target>; readonly target: RequestTarget }
  | { readonly target: RequestTarget; readonly match: Match | undefined };

const upgradeNeeded: Judged = { refusal: refusals.upgradeRequired };

/** Serves the interfaces of some configs over HTTP (surfaces.md 0 and 1). */
export class HttpTrigger {
  readonly #host: Host;
  readonly #health: readonly OwnPage[];
  readonly #pages: readonly Page[];
  readonly #instead: Instead | undefined;
  readonly #ids: RequestIds;
  readonly #server: Server;
  readonly #pending: PendingRuns;
  readonly #cors: Cors | undefined;
  readonly #upgrades: Upgrades;
  #routes: RouteTable<Destination>;
  /** The address that it listens on, as it was given. */
  #bound = "";
  #state: "serving" | "draining" | "closing" = "serving";

  constructor({ host, configs, docs, unmet, waits, corsOrigins = [], pages = [], instead, ...more }: HttpOptions) {
    this.#host = host;
    this.#ids = new RequestIds(host.bytes);
    this.#pending = new PendingRuns();
    this.#cors = corsOrigins.length === 0 ? undefined : new Cors(corsOrigins);
    const { keys = [], queryKeys = true } = more;
    const isServing = (): boolean => this.#state === "serving";
    this.#health = healthPages({ host, keys, queryKeys, unmet, isServing, fails: (error, response, id) => this.#bug(error, response, id) });
    this.#upgrades = new Upgrades({ host, configs, keys, queryKeys });
    this.#server = boundedServer(this.#front, { request: 60_000, keepAlive: 75_000, ...waits }, (message) =>
      this.#upgrades.isAsked(message),
    );
    this.#server.on("upgrade", (message: IncomingMessage, socket: Socket, head: Buffer) => {
      this.#upgrades.receive({ message, socket, head, id: this.#ids.next() }, () => this.#find(message, false));
    });
    this.#pages = pages;
    this.#instead = instead;
    this.#routes = this.#table(configs, docs);
  }

  /** From now on serves these: what is under way ends as it began. */
  replace(configs: readonly Config[], docs: Documentation | undefined): void {
    this.#routes = this.#table(configs, docs);
    this.#upgrades.serve(configs);
  }

  /** Starts to serve; gives the address as a URL. Rejects with the error of the socket. */
  async listen(address: string, port: number): Promise<string> {
    this.#bound = address;
    return listenAt(this.#server, address, port);
  }

  /**
   * Says that it is not ready, waits until balancers have noticed, and lets what is under way end. For as long again new requests are answered by 503:
   * a connection that the system has taken and nobody answers would be cut, and its client could not know whether the request counts. False when a run
   * was cut short because the grace ran out.
   */
  async drain(noticeMs: number, graceMs: number): Promise<boolean> {
    this.#state = "draining";
    await sleep(noticeMs);
    this.#state = "closing";
    const runs = (): Promise<void> => this.#pending.ended().then(() => background(this.#host).ended());
    const gone = this.#upgrades.end();
    const ended = sleep(noticeMs)
      .then(() => gone)
      .then(() => new Promise<void>((resolve) => this.#server.close(() => resolve())))
      .then(runs)
      .then(() => true);
    const timer = new AbortController();
    const inTime = await Promise.race([ended, sleep(graceMs, false, { signal: timer.signal }).catch(() => false)]);
    timer.abort();
    if (inTime) return true;
    this.#server.close(() => undefined);
    this.#server.closeAllConnections();
    // What is left may never have become a run: nobody loses an answer then.
    return this.#pending.count + background(this.#host).count === 0;
  }

  #table(configs: readonly Config[], docs: Documentation | undefined): RouteTable<Destination> {
    const pages = this.#pages.map(({ path, reply }) => ({
      path,
      service: (response: ServerResponse, id: string, message: IncomingMessage) => this.#page(reply(message.headers), response, id),
    }));
    const own = [...this.#health, ...pages];
    return routesOf({ host: this.#host, configs, docs, own, bound: () => this.#bound, closes: () => this.#state !== "serving" });
  }

  /** Every request comes here first. */
  readonly #front = (message: IncomingMessage, response: ServerResponse): void => {
    this.#cors?.mark(message, response);
    if (this.#cors !== undefined && isPreflight(message)) this.#preflight(message, response, this.#cors);
    else this.#handle(message, response);
  };

  /** What a page of another origin may do with a path, if anything is there. */
  #preflight(message: IncomingMessage, response: ServerResponse, cors: Cors): void {
    const id = this.#ids.next();
    const found = this.#find(message, true);
    const { origin = "", "access-control-request-method": asked = "" } = message.headers;
    if (!cors.allows(origin)) refuse(response, refusals.forbidden, id);
    else if ("refusal" in found && found.allow !== undefined) cors.grant(message, response, found.allow, id);
    else if ("denial" in found) answer(response, found.denial, id, false);
    else if ("match" in found && found.match !== undefined) cors.grant(message, response, [asked], id);
    else refuse(response, "refusal" in found ? found.refusal : refusals.notFound, id);
  }

  #handle(message: IncomingMessage, response: ServerResponse): void {
    try {
      this.#lead(message, response);
    } catch (error) {
      this.#bug(error, response, this.#ids.next());
    }
  }

  #lead(message: IncomingMessage, response: ServerResponse): void {
    const found = this.#find(message, true);
    if ("refusal" in found) refuse(response, found.refusal, this.#ids.next(), found.allow);
    else if ("point" in found) refuse(response, refusals.upgradeRequired, this.#ids.next());
    else if ("denial" in found) {
      if (found.of !== undefined && !("service" in found.of)) watch(found.of, message, response, this.#host);
      answer(response, found.denial, this.#ids.next(), this.#state !== "serving");
    } else if (found.match === undefined) this.#notFound(message, response);
    else this.#serve(message, response, found.match, found.target);
  }

  /** With `probe` nothing is begun for the caller at a path of another protocol. */
  #find(message: IncomingMessage, probe: boolean): Judged {
    const { method = "GET", url = "/" } = message;
    if (this.#state === "closing") return { refusal: refusals.shuttingDown };
    if (!hasOneHost(message)) return { refusal: refusals.badRequest };
    if (url.length > maxTarget) return { refusal: refusals.uriTooLong };
    const target = requestTarget(url);
    if (target === undefined) return { refusal: refusals.invalidParam };
    const point = this.#upgrades.at(target.path);
    if (point !== undefined) return this.#judgeUpgrade(point, target, message, probe);
    const found = this.#routes.find(method, target.path);
    if (found.kind === "invalid") return { refusal: refusals.invalidParam };
    if (found.kind === "method") return this.#wrongMethod(message, found.served);
    if (found.kind === "none") return this.#upgrades.isPlain(target.path, message) ? upgradeNeeded : { target, match: undefined };
    const denial = this.#denial(found.target, message);
    return denial === undefined ? { target, match: found } : { denial, of: found.target };
  }

  #judgeUpgrade(point: UpgradePoint<Target>, target: RequestTarget, message: IncomingMessage, probe: boolean): Judged {
    const denial = point.of === undefined ? undefined : this.#denial(point.of, message, probe);
    if (denial !== undefined) return { denial };
    const { method } = message;
    return method === "GET" || method === "HEAD" ? { point, target } : { refusal: refusals.methodNotAllowed, allow: ["GET"] };
  }

  /** Tells only of interfaces that the caller may reach; who may reach none learns what they say. */
  #wrongMethod(message: IncomingMessage, served: ReadonlyMap<string, Destination>): Judged {
    const judged = [...served].map(([method, destination]) => ({ method, denial: this.#denial(destination, message, true) }));
    const open = judged.filter(({ denial }) => denial === undefined).map(({ method }) => method);
    const [denial] = judged.flatMap(({ denial }) => denial ?? []);
    if (open.length === 0 && denial !== undefined) return { denial };
    return { refusal: refusals.methodNotAllowed, allow: allowOf(open) };
  }

  /** What the network policy of an interface answers before anything of the request is read (surfaces.md 0). */
  #denial(destination: Destination, { headers, socket }: IncomingMessage, probe = false): Reply | undefined {
    if ("service" in destination) return undefined;
    return denialOf(destination, { headers, peer: socket.remoteAddress }, this.#host, { probe });
  }

  #serve(message: IncomingMessage, response: ServerResponse, match: Match, { path, query }: RequestTarget): void {
    const id = this.#ids.next();
    const { target: destination, names, values } = match;
    if ("service" in destination) {
      destination.service(response, id, message);
      return;
    }
    const caller = callerIdOf(message, destination.interface);
    const sent = caller?.isTrusted ? caller.text : id;
    const span = watch(destination, message, response, this.#host);
    if (isTooDeep(hopsOf(message.headers[hopsName]))) {
      refuse(response, refusals.loopDetected, sent);
      return;
    }
    const read = paramsOf(query, names, values);
    if ("refusal" in read) {
      refuse(response, read.refusal, sent);
      return;
    }
    receive(message, this.#host.limits, (received) => {
      if ("code" in received) {
        refuse(response, received, sent);
        return;
      }
      const request = new HttpRequest(message, { id, caller }, path, read.params, received, () =>
        this.#ipOf(destination.interface, message),
      );
      const run = new LiveRun(this.#host, destination.config, destination.interface, request);
      if (span !== undefined) run.span = span.child(run.interface.name, attributesOf(run));
      const asker = new HttpAsker(run, response, () => this.#state !== "serving");
      new Execution(run, { asker, follower: this.#pending, mayBeEarly: true }).begin();
    });
  }

  #ipOf({ network }: Interface, { headers, socket }: IncomingMessage): JsonObject {
    const caller = { headers, peer: socket.remoteAddress };
    return network === undefined ? ipOf(caller) : network.ip(caller, this.#host);
  }

  /** What no feature meant to throw: the caller learns nothing, the log has the stack, the process lives. */
  #bug(error: unknown, response: ServerResponse, id: string): void {
    this.#host.log("critical", "unexpected error in a run", { run_uuid: id, stack: stackOf(error) });
    if (!response.headersSent) refuse(response, refusals.internalError, id);
    else if (!response.writableEnded) response.destroy();
  }

  #notFound(message: IncomingMessage, response: ServerResponse): void {
    this.#page(this.#instead?.(message.headers, message.url ?? "/"), response, this.#ids.next());
  }

  #page(page: Reply | undefined, response: ServerResponse, id: string): void {
    if (page === undefined) refuse(response, refusals.notFound, id);
    else answer(response, page, id, this.#state !== "serving");
  }
}
