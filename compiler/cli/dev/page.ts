import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { Reply } from "#runtime/run/response.ts";
import type { Beside } from "#runtime/triggers/http-server.ts";
import type { PageParts } from "#runtime/triggers/pages.ts";
import type { Live } from "../../7-link/live.ts";
import { template } from "../../7-link/virtual.ts";
import type { JsonReport } from "../../diagnostics/json.ts";
import { mountConsole } from "./console.ts";
import type { Shown } from "./shown.ts";

/** A request that the project answers. */
export interface DevRoute {
  readonly method: string;
  readonly path: string;
  readonly interface: string;
  readonly config: string;
  /** File and line of the interface. */
  readonly at?: string;
}

/** A diagnostic with the lines around its place, as the terminal shows them. */
export type DevDiagnostic = JsonReport["diagnostics"][number] & { readonly frame: string };

/** The state of the project, as a browser is shown it. */
export interface DevState {
  /** Number of the version that is served; 0: none yet. */
  readonly version: number;
  /** The files on the disk have mistakes, so that an earlier version is served. */
  readonly isBroken: boolean;
  readonly diagnostics: readonly DevDiagnostic[];
  readonly unmet: readonly string[];
  readonly routes: readonly DevRoute[];
}

const nothing: DevState = { version: 0, isBroken: false, diagnostics: [], unmet: [], routes: [] };

/**
 * The pages of `dev`, in an application of Fastify beside the interfaces: the console at `/_pipewright/dev`, and a page that shows what is
 * wrong with the project, as it changes. It stands in for pages that are missing while something is. `/` lists the routes, unless an
 * interface is there.
 */
export class DevPage {
  readonly #app: FastifyInstance;
  #state = nothing;
  #shown: Shown = {
    watched: undefined,
    facts: () => ({ map: [], pages: [] }),
    fix: () => "nothing is served yet",
    changes: () => [],
    tests: undefined,
  };

  private constructor(app: FastifyInstance, html: () => Reply) {
    this.#app = app;
    const show = (reply: FastifyReply, status = 200): FastifyReply => {
      const { headers, body } = html();
      return reply.code(status).headers(headers).send(body);
    };
    app.removeAllContentTypeParsers();
    app.get("/_pipewright/dev.json", (_request, reply) => reply.header("cache-control", "no-cache").send(this.#state));
    app.get("/", ({ headers }, reply) => {
      const { version, routes, isBroken } = this.#state;
      if (!isBrowser(headers)) return reply.header("cache-control", "no-cache").send({ version, routes });
      return show(reply, isBroken ? 503 : 200);
    });
    app.setNotFoundHandler(({ headers }, reply) =>
      this.#state.isBroken && isBrowser(headers) ? show(reply, 503) : reply.code(404).send({ error: "not_found" }),
    );
  }

  static async open(live: Pick<Live, "htmlReply" | "consoles">, root: string, console: PageParts): Promise<DevPage> {
    // No other command waits for Fastify to be loaded.
    const { fastify } = await import("fastify");
    const app = fastify();
    const parts = { page: template(root, "dev/page.html"), style: template(root, "dev/page.css"), script: template(root, "dev/page.js") };
    const page = new DevPage(app, () => live.htmlReply(parts));
    mountConsole(app, live, console, () => page.#shown);
    await app.ready();
    return page;
  }

  show(state: DevState): void {
    this.#state = state;
  }

  /** Changes the version, the facts and the fixes that the console shows from now on. */
  reveal(shown: Partial<Shown>): void {
    this.#shown = { ...this.#shown, ...shown };
  }

  /** The facts of the version that is served. */
  readonly facts: Shown["facts"] = () => this.#shown.facts();

  /** Its own paths come before all interfaces; what is free it answers where it has something to say. */
  readonly beside: Beside = (message, response, isFree) => {
    const { headers, url = "/" } = message;
    const isOwn = url.startsWith("/_pipewright/");
    const says = isOwn || (isFree && (/^\/(?:\?|$)/.test(url) || (this.#state.isBroken && isBrowser(headers))));
    if (!says || !isLocal(headers)) return false;
    response.setHeader("x-content-type-options", "nosniff");
    this.#app.routing(message, response);
    return true;
  };
}

const isBrowser = ({ accept = "" }: IncomingHttpHeaders): boolean => /\btext\/html\b/.test(accept);

/** A page of another host that has itself resolved to this machine may not read the project. */
function isLocal({ host = "" }: IncomingHttpHeaders): boolean {
  const name = host.replace(/:\d+$/, "").toLowerCase();
  return name === "localhost" || name.endsWith(".localhost") || name === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(name);
}
