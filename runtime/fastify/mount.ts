import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from "fastify";
import type { Host } from "../process/host.ts";
import { background } from "../run/end/background.ts";
import type { Config } from "../run/interface.ts";
import { refusals } from "../run/refusals.ts";
import { healthPages } from "../triggers/http/health.ts";
import { refuse } from "../triggers/http/refusal.ts";
import { routesOf } from "../triggers/http/table.ts";
import { Upgrades } from "../triggers/http/upgrade.ts";
import { HttpTrigger } from "../triggers/http.ts";
import { ReplyOutgoing } from "./outgoing.ts";
import { withBody } from "./replaced-body.ts";

export interface MountOptions {
  readonly host: Host;
  readonly configs: readonly Config[];
  /** Names of the needs that do not answer now, for `/readyz`. */
  readonly unmet: () => Promise<readonly string[]>;
  /** API keys of the organisation, for `/readyz`; none is right without. */
  readonly keys?: readonly string[];
  /** Whether the query of a request may hold an API key. */
  readonly queryKeys?: boolean;
  /**
   * Paths of no interface are answered by our own 404. By default that is so below a prefix; at the root they belong to the application.
   */
  readonly ownsAll?: boolean;
}

/**
 * Configurations at the prefix of an application of Fastify. The application routes all paths below the prefix here, after its hooks; which
 * interface answers, our own route table decides, as in our own server.
 */
export class Mount {
  readonly #app: FastifyInstance;
  readonly #host: Host;
  readonly #prefix: string;
  readonly #ownsAll: boolean;
  readonly #trigger: HttpTrigger;
  /** Messages in whose place there are others, since hooks of the application have replaced their bodies. */
  readonly #replaced = new WeakMap<IncomingMessage, IncomingMessage>();
  readonly #ended = new AbortController();

  constructor(app: FastifyInstance, { host, configs, unmet, keys = [], queryKeys = true, ownsAll }: MountOptions) {
    this.#app = app;
    this.#host = host;
    this.#prefix = app.prefix.replace(/\/$/, "");
    this.#ownsAll = ownsAll ?? this.#prefix !== "";
    // A mounted application serves no protocol but HTTP.
    const upgrades = new Upgrades({ host, configs: [], keys: [], queryKeys });
    const trigger = new HttpTrigger(host, upgrades);
    this.#trigger = trigger;
    const own = healthPages({
      ...{ host, keys, queryKeys, unmet },
      isServing: () => !trigger.closes,
      fails: (error, response, id) => trigger.bug(error, response, id),
    }).map((page) => ({ ...page, path: this.#prefix + page.path }));
    const serving = { host, configs, docs: undefined, own, bound: () => this.#bound(), closes: () => trigger.closes };
    trigger.serve(routesOf(serving, [this.#prefix, `${this.#prefix}/${host.organisation}/${host.environment}`]));
    this.#takeBodies();
    this.#takeRequests();
  }

  /** The application closes: connections are of no use after an answer, and runs that outlast the grace are cut short. */
  drain(): void {
    const { shutdownGraceMs } = this.#host.limits;
    this.#trigger.state = "draining";
    sleep(shutdownGraceMs, undefined, { signal: this.#ended.signal }).then(
      () => this.#trigger.pending.cut(),
      () => undefined, // all have ended in time
    );
  }

  /** Resolves when the runs that nobody waits for have ended, or the grace is over. */
  async end(): Promise<void> {
    const { shutdownGraceMs } = this.#host.limits;
    const { signal } = this.#ended;
    const runs = this.#trigger.pending.ended().then(() => background(this.#host).ended());
    await Promise.race([runs, sleep(shutdownGraceMs, undefined, { signal })]);
    this.#ended.abort();
  }

  /** A run reads and bounds its body by itself: parsers of the application leave it alone. */
  #takeBodies(): void {
    const app = this.#app;
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", (_request, _payload, done) => done(null));
    // Fastify calls hooks in order, those of the application first.
    app.addHook("preParsing", (request, reply, payload, done) => {
      const { raw, headers } = request;
      if (payload !== raw)
        this.#replaced.set(
          raw,
          withBody(raw, payload as Readable, (error) => reply.send(error)),
        ); // by its contract
      // Fastify would answer 415 to an unknown type of body, but for a configuration such a body is as good as any other.
      if (headers["content-type"] !== undefined && !isMediaType.test(headers["content-type"]))
        request.headers = { "content-type": undefined };
      done(null, payload);
    });
  }

  #takeRequests(): void {
    const app = this.#app;
    const handler = (request: FastifyRequest, reply: FastifyReply): void => this.#handle(request, reply);
    const all = { method: app.supportedMethods, handler, schema: hidden };
    app.route({ ...all, url: "/*" });
    if (this.#prefix === "") return;
    app.route({ ...all, url: "/", prefixTrailingSlash: "no-slash" });
    // Methods that Fastify has no routes for.
    app.setNotFoundHandler(handler);
  }

  #handle(request: FastifyRequest, reply: FastifyReply): void {
    const message = this.#replaced.get(request.raw) ?? request.raw;
    const response = new ReplyOutgoing(reply);
    const elsewhere = (): void => {
      if (this.#ownsAll) refuse(response, refusals.notFound, this.#trigger.nextId());
      else reply.callNotFound();
    };
    this.#trigger.handle(message, response, elsewhere);
  }

  /** The address that the application listens on. */
  #bound(): string {
    const address = this.#app.server.address();
    return address === null || typeof address === "string" ? "" : address.address;
  }
}

/** As Fastify reads them. */
const isMediaType = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;

/** The route is hidden: it stands for many interfaces, and an API document made by `@fastify/swagger` could not describe them. */
const hidden: FastifySchema & { readonly hide: true } = { hide: true };
