import type { IncomingMessage, ServerResponse } from "node:http";
import { answerApi, historyOf } from "../admin/api.ts";
import { giveOrder } from "../admin/orders.ts";
import { say } from "../admin/server.ts";
import type { AdminConsole, ApiReply, Watched } from "../admin/watched.ts";
import type { Host } from "../process/host.ts";
import type { Config } from "../run/interface.ts";
import type { Reply } from "../run/response.ts";
import { htmlReply, type PageParts } from "../triggers/pages.ts";
import { messageOf } from "../value/thrown.ts";
import { counted } from "./counted.ts";
import type { ConsoleFacts } from "./facts.ts";
import { barMs, figuresOf } from "./figures.ts";
import { keyOf, mapPage } from "./map.ts";
import { noTestOf, recordedTest } from "./recorded-test.ts";
import { tail } from "./tail.ts";

export { giveOrder, say };

/** The console of a service: its page, and the facts about its interfaces (spec/surfaces 21). */
export function adminConsole(parts: PageParts, facts: () => ConsoleFacts): AdminConsole {
  const { status, headers, body } = consolePage(parts);
  const page = (message: IncomingMessage, response: ServerResponse): undefined => {
    const isRead = message.method === "GET" || message.method === "HEAD";
    if (isRead) say(message, response, status, body, headers);
    else say(message, response, 405, { error: "method_not_allowed" }, { allow: "GET, HEAD" });
  };
  return { page, answers: consoleAnswers(facts), counted, attend };
}

/** The part is loaded at its first use, so that a process without it loads no drivers of stores. */
const clusterPart = () => import("../cluster/page.ts");

async function attend(host: Host, configs: () => readonly Config[]): Promise<void> {
  try {
    (await clusterPart()).attend(host, configs);
  } catch (error) {
    host.log("warn", `the page of nodes in the console does not show this one: ${messageOf(error)}`);
  }
}

/** The page may not be framed, and may only send requests to its own origin. */
export function consolePage(parts: PageParts): Reply {
  const reply = htmlReply(parts);
  return { ...reply, headers: { ...reply.headers, "cache-control": "no-store" } };
}

/** Answers the requests of the page, including those of the admin API; `facts` gives the facts of the served version. */
export function consoleAnswers(facts: () => ConsoleFacts): AdminConsole["answers"] {
  return async (path, query, watched, message, response) => {
    const [, id] = /^\/api\/v1\/runs\/([0-9a-fA-F-]{36})\/test$/.exec(path) ?? [];
    if (id !== undefined) return exported(id, watched, message, response);
    switch (path) {
      case "/api/v1/map": {
        const page = mapPage(facts(), query, watched);
        return typeof page === "string" ? { status: 400, body: { error: "invalid_param", message: page } } : { status: 200, body: page };
      }
      case "/api/v1/interface": {
        const page = pageOf(facts(), query);
        return page === undefined ? notFound : say(message, response, 200, page);
      }
      case "/api/v1/figures": {
        const interfaces = figuresOf(watched.host).list(query.get("config"), query.get("interface"));
        return { status: 200, body: { bar_ms: barMs, interfaces } };
      }
      case "/api/v1/cluster":
        return { status: 200, body: await (await clusterPart()).clusterPage(watched) };
      case "/api/v1/runs/live":
        return tail(historyOf(watched.host, watched.configs), query, watched.host, response);
      default:
        return answerApi(path, query, watched);
    }
  };
}

const notFound: ApiReply = { status: 404, body: { error: "not_found" } };

function pageOf({ map, pages }: ConsoleFacts, query: ReadonlyMap<string, string>): string | undefined {
  const key = keyOf(query.get("config") ?? "", query.get("interface") ?? "");
  return pages[map.findIndex((entry) => keyOf(entry.config, entry.interface) === key)];
}

/** Sends a recorded run as a file of contract tests. */
async function exported(
  id: string,
  { host, configs }: Watched,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<ApiReply | undefined> {
  const run = await historyOf(host, configs)?.find(id);
  if (run === undefined) return notFound;
  const refusal = noTestOf(run);
  if (refusal !== undefined) return say(message, response, 409, refusal, { "content-type": "text/plain; charset=utf-8" });
  return say(message, response, 200, recordedTest(run), {
    "content-type": "application/yaml; charset=utf-8",
    "content-disposition": `attachment; filename="run-${id.slice(0, 8).toLowerCase()}.test.yaml"`,
  });
}
