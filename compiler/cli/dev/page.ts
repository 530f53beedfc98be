import type { IncomingHttpHeaders } from "node:http";
import type { Instead, Page } from "#runtime/triggers/pages.ts";
import type { Live } from "../../7-link/live.ts";
import { template } from "../../7-link/virtual.ts";
import type { JsonReport } from "../../diagnostics/json.ts";

/** A request that the project answers. */
export interface DevRoute {
  readonly method: string;
  readonly path: string;
  readonly interface: string;
  readonly config: string;
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

/** The page `/_pipewright/dev`: what is wrong with the project, as it changes. It stands in for pages that are missing while something is. */
export class DevPage {
  readonly pages: readonly Page[];
  readonly #live: Pick<Live, "htmlReply" | "jsonReply">;
  readonly #parts: Parameters<Live["htmlReply"]>[0];
  #state: DevState = { version: 0, isBroken: false, diagnostics: [], unmet: [], routes: [] };

  constructor(live: Pick<Live, "htmlReply" | "jsonReply">, root: string) {
    this.#live = live;
    this.#parts = { page: template(root, "dev/page.html"), style: template(root, "dev/page.css"), script: template(root, "dev/page.js") };
    this.pages = [
      { path: "/_pipewright/dev", reply: (headers) => (isLocal(headers) ? this.#html() : undefined) },
      { path: "/_pipewright/dev.json", reply: (headers) => (isLocal(headers) ? live.jsonReply(JSON.stringify(this.#state)) : undefined) },
    ];
  }

  show(state: DevState): void {
    this.#state = state;
  }

  /** Where nothing is, a browser gets the page while something is wrong. `/` lists the routes, unless an interface is there. */
  readonly instead: Instead = (headers, url) => {
    if (!isLocal(headers)) return undefined;
    const isBrowser = /\btext\/html\b/.test(headers.accept ?? "");
    const isRoot = /^\/(?:\?|$)/.test(url);
    if (this.#state.isBroken && isBrowser) return { ...this.#html(), status: 503 };
    if (!isRoot) return undefined;
    return isBrowser ? this.#html() : this.#live.jsonReply(JSON.stringify({ version: this.#state.version, routes: this.#state.routes }));
  };

  #html(): ReturnType<Live["htmlReply"]> {
    return this.#live.htmlReply(this.#parts);
  }
}

/** A page of another host that has itself resolved to this machine may not read the project. */
function isLocal({ host = "" }: IncomingHttpHeaders): boolean {
  const name = host.replace(/:\d+$/, "").toLowerCase();
  return name === "localhost" || name.endsWith(".localhost") || name === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(name);
}
