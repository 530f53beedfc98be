import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Host } from "../process/host.ts";
import { background } from "../run/end/background.ts";
import type { Config } from "../run/interface.ts";
import { refusals } from "../run/refusals.ts";
import type { Documentation } from "./documentation.ts";
import { answer } from "./http/answer.ts";
import { Cors, isPreflight } from "./http/cors.ts";
import { healthPages, type OwnPage } from "./http/health.ts";
import type { Outgoing } from "./http/outgoing.ts";
import { refuse } from "./http/refusal.ts";
import type { RouteTable } from "./http/routes.ts";
import { type BoundedServer, boundedServer, ended, listenAt, type Waits } from "./http/server.ts";
import { type Destination, routesOf } from "./http/table.ts";
import { endUnread } from "./http/unread.ts";
import { Upgrades } from "./http/upgrade.ts";
import { HttpTrigger } from "./http.ts";

export interface HttpOptions {
  readonly host: Host;
  readonly configs: readonly Config[];
  /** The API documentation; absent where there is none. */
  readonly docs?: Documentation | undefined;
  /** Names of the needs that do not answer at the moment, for `/readyz`. */
  readonly unmet: () => Promise<readonly string[]>;
  readonly waits?: Partial<Waits>;
  /** Origins of pages that may read answers; without any, CORS is off. */
  readonly corsOrigins?: readonly string[];
  readonly beside?: Beside | undefined;
  /** API keys of the organisation, for connections that need one; without keys no key is valid. */
  readonly keys?: readonly string[] | undefined;
  /** True when the query of a request may hold an API key. */
  readonly queryKeys?: boolean | undefined;
}

/**
 * An application on the same port, such as the pages of `dev`: it answers a request, or gives false. `isFree` is true when no interface has
 * the path.
 */
export type Beside = (message: IncomingMessage, response: ServerResponse, isFree: boolean) => boolean;

/**
 * The server of a process. `HttpTrigger` decides how requests are answered; this class handles connections, load balancers and browsers.
 */
export class HttpServer {
  readonly #host: Host;
  readonly #own: readonly OwnPage[];
  readonly #beside: Beside | undefined;
  readonly #trigger: HttpTrigger;
  readonly #bounded: BoundedServer;
  readonly #cors: Cors | undefined;
  readonly #upgrades: Upgrades;
  /** The address on which the server listens, as it was configured. */
  #bound = "";

  constructor({ host, configs, docs, unmet, waits, corsOrigins = [], beside, ...more }: HttpOptions) {
    const { keys = [], queryKeys = true } = more;
    this.#host = host;
    this.#beside = beside;
    this.#cors = corsOrigins.length === 0 ? undefined : new Cors(corsOrigins);
    const upgrades = new Upgrades({ host, configs, keys, queryKeys });
    const trigger = new HttpTrigger(host, upgrades);
    this.#upgrades = upgrades;
    this.#trigger = trigger;
    const fails = (error: unknown, response: Outgoing, id: string): void => trigger.bug(error, response, id);
    this.#own = healthPages({ host, keys, queryKeys, unmet, isServing: () => !trigger.closes, fails });
    this.#bounded = boundedServer(this.#front, { request: 60_000, keepAlive: 75_000, ...waits }, (message) => upgrades.isAsked(message));
    endUnread(this.#bounded, host.monotonic);
    this.#bounded.server.on("upgrade", (message: IncomingMessage, socket: Socket, head: Buffer) => {
      upgrades.receive({ message, socket, head, id: trigger.nextId() }, () => trigger.find(message, false));
    });
    trigger.serve(this.#table(configs, docs));
  }

  /** Serves these configurations from now on; requests under way continue with the earlier ones. */
  replace(configs: readonly Config[], docs: Documentation | undefined): void {
    this.#trigger.serve(this.#table(configs, docs));
    this.#upgrades.serve(configs);
  }

  /** Starts to listen; gives the address as a URL. Rejects with the error of the socket. */
  async listen(address: string, port: number): Promise<string> {
    this.#bound = address;
    return listenAt(this.#bounded.server, address, port);
  }

  /**
   * Reports that the process is not ready, waits until load balancers have noticed, and lets open requests end. For `noticeMs` more, new
   * requests are answered with 503: a connection that the system has accepted would otherwise be cut, and its client would not know whether
   * its request counts. False when a run was aborted because the grace period ended.
   */
  async drain(noticeMs: number, graceMs: number): Promise<boolean> {
    this.#trigger.state = "draining";
    await sleep(noticeMs);
    this.#trigger.state = "closing";
    const runs = (): Promise<void> => this.#trigger.pending.ended().then(() => background(this.#host).ended());
    const upgraded = this.#upgrades.end();
    const served = sleep(noticeMs)
      .then(() => upgraded)
      .then(() => ended(this.#bounded))
      .then(runs)
      .then(() => true);
    const timer = new AbortController();
    const inTime = await Promise.race([served, sleep(graceMs, false, { signal: timer.signal }).catch(() => false)]);
    timer.abort();
    if (inTime) return true;
    this.#bounded.server.close(() => undefined);
    this.#bounded.server.closeAllConnections();
    // Requests that are left may never have become runs, so that no answer of a run is lost with them.
    return this.#trigger.pending.count + background(this.#host).count === 0;
  }

  /** Counts the requests that have no answer yet, and the runs without a caller. */
  get open(): { readonly requests: number; readonly runs: number } {
    return { requests: this.#trigger.pending.count, runs: background(this.#host).count };
  }

  #table(configs: readonly Config[], docs: Documentation | undefined): RouteTable<Destination> {
    return routesOf({ host: this.#host, configs, docs, own: this.#own, bound: () => this.#bound, closes: () => this.#trigger.closes });
  }

  /** Receives every request first. */
  readonly #front = (message: IncomingMessage, response: ServerResponse): void => {
    this.#cors?.mark(message, response);
    if (this.#cors !== undefined && isPreflight(message)) this.#preflight(message, response, this.#cors);
    else if (!this.#beside?.(message, response, false)) this.#trigger.handle(message, response, () => this.#notFound(message, response));
  };

  /** Answers which requests a page of another origin may send to a path, if the path exists. A route of OPTIONS is one of several there. */
  #preflight(message: IncomingMessage, response: ServerResponse, cors: Cors): void {
    const id = this.#trigger.nextId();
    const route = this.#trigger.find(message, true, "ANY");
    const { origin = "", "access-control-request-method": method = "" } = message.headers;
    if (!cors.allows(origin)) refuse(response, refusals.forbidden, id);
    else if ("refusal" in route && route.allow !== undefined) cors.grant(message, response, route.allow, id);
    else if ("denial" in route) answer(response, route.denial, id, false);
    else if ("match" in route && route.match !== undefined) cors.grant(message, response, [method], id);
    else refuse(response, "refusal" in route ? route.refusal : refusals.notFound, id);
  }

  #notFound(message: IncomingMessage, response: ServerResponse): void {
    if (!this.#beside?.(message, response, true)) refuse(response, refusals.notFound, this.#trigger.nextId());
  }
}
