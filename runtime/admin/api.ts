import { cursorText, readQuery } from "../capture/query.ts";
import type { History } from "../capture/recording.ts";
import type { Host } from "../process/host.ts";
import type { Config } from "../run/interface.ts";
import type { Json, JsonObject } from "../value/json.ts";
import { listInterfaces } from "./interfaces.ts";
import { listNeeds } from "./needs.ts";
import { durableRuns, runsPath } from "./orders.ts";
import type { ApiReply, Watched } from "./watched.ts";

/** Answers a request of a caller with a key (docs/admin-api.md). */
export async function answerApi(path: string, query: ReadonlyMap<string, string>, watched: Watched): Promise<ApiReply> {
  const [, id] = /^\/api\/v1\/runs\/([0-9a-fA-F-]{36})$/.exec(path) ?? [];
  if (id !== undefined) return run(id, watched);
  const runsOf = runsPath(path);
  if (runsOf !== undefined) return durableRuns(runsOf, query, null, watched);
  switch (path) {
    case "/api/v1/runs":
      return runs(query, watched);
    case "/api/v1/interfaces":
      return page("interfaces", listInterfaces(watched), query, watched);
    case "/api/v1/needs":
      return page("needs", await listNeeds(watched), query, watched);
    default:
      return notFound;
  }
}

const notFound: ApiReply = { status: 404, body: { error: "not_found" } };

async function runs(params: ReadonlyMap<string, string>, { host, configs }: Watched): Promise<ApiReply> {
  const query = readQuery(params, host.now());
  if ("problem" in query) return wrong(query.parameter, query.problem);
  const page = await historyOf(host, configs)?.list(query.filter, query.limit, query.cursor);
  const runs = (page?.runs ?? []).map((each): JsonObject => ({ ...each }));
  return { status: 200, body: { runs: runs, next: cursorText(page?.next ?? null) } };
}

async function run(id: string, { host, configs }: Watched): Promise<ApiReply> {
  const run = await historyOf(host, configs)?.find(id);
  // A record was read from a store, so that it is JSON.
  return run === undefined ? notFound : { status: 200, body: run as unknown as JsonObject };
}

/** All recorded interfaces share one history; a service without a recorded interface has none. */
export function historyOf(host: Host, configs: readonly Config[]): History | undefined {
  const [capture] = configs.flatMap(({ interfaces }) => interfaces.flatMap((target) => target.capture ?? []));
  return capture?.history(host);
}

/** Makes a page from a list that is short enough to be made as a whole. */
function page(name: string, all: readonly JsonObject[], params: ReadonlyMap<string, string>, { host }: Watched): ApiReply {
  const foreign = [...params.keys()].find((key) => key !== "limit" && key !== "cursor");
  if (foreign !== undefined) return wrong(foreign, "must be one of limit, cursor");
  const query = readQuery(params, host.now());
  if ("problem" in query) return wrong(query.parameter, query.problem);
  const { limit, cursor: from = 0 } = query;
  const next = from + limit < all.length ? from + limit : null;
  const { organisation, environment } = host;
  return { status: 200, body: { organisation, environment, [name]: all.slice(from, from + limit), next: cursorText(next) } };
}

const wrong = (parameter: string, problem: string): ApiReply => ({
  status: 400,
  body: { error: "invalid_param", message: `${JSON.stringify(parameter).slice(1, 65).replace(/"$/, "")} ${problem}` } satisfies Record<
    string,
    Json
  >,
});
