import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance, FastifyReply } from "fastify";
import { bareHost, isLoopback } from "#runtime/outgoing/secure-way.ts";
import type { Reply } from "#runtime/run/response.ts";
import type { Beside } from "#runtime/triggers/http-server.ts";
import type { PageParts } from "#runtime/triggers/pages.ts";
import type { Live } from "../../7-link/live.ts";
import { template } from "../../7-link/virtual.ts";
import type { JsonReport } from "../../diagnostics/json.ts";
import { mountConsole } from "./console.ts";
import type { Shown } from "./shown.ts";

/** A route of the project. */
export interface DevRoute {
  readonly method: string;
  readonly path: string;
  readonly interface: string;
  readonly config: string;
  /** File and line of the interface. */
  readonly at?: string;
}

/** A diagnostic with the lines around its place, in the form that the terminal shows. */
export type DevDiagnostic = JsonReport["diagnostics"][number] & { readonly frame: string };

/** The state of the project that a browser shows. */
export interface DevState {
  /** The number of the served version; 0 before the first one. */
  readonly version: number;
  /** True when the files on the disk have mistakes, so that an earlier version is served. */
  readonly isBroken: boolean;
  readonly diagnostics: readonly DevDiagnostic[];
  readonly unmet: readonly string[];
  readonly routes: readonly DevRoute[];
}

const nothing: DevState = { version: 0, isBroken: false, diagnostics: [], unmet: [], routes: [] };

/**
 * The pages of `dev`, in an application of Fastify beside the interfaces: the console at `/_pipewright/dev`, and a page that shows the
 * current mistakes in the project. It replaces missing pages while the project has mistakes. `/` lists the routes, unless an interface has
 * this path.
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
    // Fastify is loaded here, so that no other command has to wait for it.
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

  /**
   * Answers requests beside the interfaces. The page's own paths come before all interfaces. Of the free paths it answers `/`, and all
   * paths for a browser while the project has mistakes.
   */
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

/** True for the names of this machine. A foreign page whose host name resolves to this machine may not read the project. */
function isLocal({ host = "" }: IncomingHttpHeaders): boolean {
  const name = host.replace(/:\d+$/, "").toLowerCase();
  return isLoopback(bareHost(name)) || name.endsWith(".localhost");
}
