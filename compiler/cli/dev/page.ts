import type { IncomingHttpHeaders } from "node:http";
import type { Page } from "#runtime/triggers/pages.ts";
import type { Live } from "../../6-link/live.ts";
import { template } from "../../6-link/virtual.ts";
import type { JsonReport } from "../../diagnostics/json.ts";

/** What a browser is shown of the project. */
export interface DevState {
  /** Number of the version that is served; 0: none yet. */
  readonly version: number;
  /** What is on the disk is not what is served. */
  readonly isBroken: boolean;
  readonly diagnostics: JsonReport["diagnostics"];
  readonly unmet: readonly string[];
}

/** The page `/_pipewright/dev`: what is wrong with the project, as it changes. It stands in for pages that are missing while something is. */
export class DevPage {
  readonly pages: readonly Page[];
  readonly #live: Pick<Live, "htmlReply" | "jsonReply">;
  readonly #parts: Parameters<Live["htmlReply"]>[0];
  #state: DevState = { version: 0, isBroken: false, diagnostics: [], unmet: [] };

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

  /** What a browser gets where nothing is. */
  instead(headers: IncomingHttpHeaders): ReturnType<Page["reply"]> {
    if (!this.#state.isBroken || !isLocal(headers) || !/\btext\/html\b/.test(headers.accept ?? "")) return undefined;
    return { ...this.#html(), status: 503 };
  }

  #html(): ReturnType<Live["htmlReply"]> {
    return this.#live.htmlReply(this.#parts);
  }
}

/** A page of another host that has itself resolved to this machine may not read the project. */
function isLocal({ host = "" }: IncomingHttpHeaders): boolean {
  const name = host.replace(/:\d+$/, "").toLowerCase();
  return name === "localhost" || name.endsWith(".localhost") || name === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(name);
}
