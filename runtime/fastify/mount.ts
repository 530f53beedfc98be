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
  /** Names of the needs that do not answer at the moment, for `/readyz`. */
  readonly unmet: () => Promise<readonly string[]>;
  /** API keys of the organisation, for `/readyz`; without keys no key is valid. */
  readonly keys?: readonly string[];
  /** True when the query of a request may hold an API key. */
  readonly queryKeys?: boolean;
  /**
   * True when this plugin answers 404 for paths without an interface: by default below a prefix. At the root such paths belong to the
   * application.
   */
  readonly ownsAll?: boolean;
}

/**
 * Configurations at the prefix of an application of Fastify. After its hooks, the application sends all paths below the prefix here. The
 * route table of this class then selects the interface, as in a server of pipewright.
 */
export class Mount {
  readonly #app: FastifyInstance;
  readonly #host: Host;
  readonly #prefix: string;
  readonly #ownsAll: boolean;
  readonly #trigger: HttpTrigger;
  /** Messages by which the messages of the application are replaced, since its hooks have replaced their bodies. */
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

  /** Closes connections after their answers, because the application closes, and aborts runs that outlast the grace period. */
  drain(): void {
    const { shutdownGraceMs } = this.#host.limits;
    this.#trigger.state = "draining";
    sleep(shutdownGraceMs, undefined, { signal: this.#ended.signal }).then(
      () => this.#trigger.pending.cut(),
      () => undefined, // all have ended in time
    );
  }

  /** Resolves when all runs without a waiting caller have ended, or the grace period is over. */
  async end(): Promise<void> {
    const { shutdownGraceMs } = this.#host.limits;
    const { signal } = this.#ended;
    const runs = this.#trigger.pending.ended().then(() => background(this.#host).ended());
    await Promise.race([runs, sleep(shutdownGraceMs, undefined, { signal })]);
    this.#ended.abort();
  }

  /** Keeps the application's body parsers away from these routes, since a run reads and bounds its body itself. */
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
      // Fastify would answer 415 to an unknown type of body, but a configuration accepts a body of any type.
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
    // Requests with methods for which Fastify has no routes arrive here.
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

  /** The address on which the application listens. */
  #bound(): string {
    const address = this.#app.server.address();
    return address === null || typeof address === "string" ? "" : address.address;
  }
}

/** Media types as Fastify reads them. */
const isMediaType = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;

/** The route is hidden: it stands for many interfaces, and an API document made by `@fastify/swagger` could not describe them. */
const hidden: FastifySchema & { readonly hide: true } = { hide: true };
