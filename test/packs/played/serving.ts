import type { Host } from "#runtime/process/host.ts";
import type { ServeOptions } from "#runtime/process/server.ts";
import type { Config, Scheduler } from "#runtime/run/interface.ts";
import type { JsonObject } from "#runtime/value/json.ts";
import { load } from "../../../compiler/7-link/load.ts";
import { documentOf, planTexts, printAll, type SourceText } from "../../../compiler/pipeline.ts";

/** The two ways in which a config runs; `interpreted` walks every interface. */
export const ways = ["compiled", "interpreted"] as const;
export type Way = (typeof ways)[number];

export interface Service {
  readonly url: string;
  /** Every record of the log, as text. */
  readonly log: readonly string[];
  readonly close: () => Promise<boolean>;
}

export interface ServingOptions extends ServeOptions {
  /** Is given the host before anything is served: what stands for the world outside. */
  readonly prepare?: (host: Host) => void;
  /** Serves the API documentation, too. */
  readonly documented?: true;
}

/** Serves configs in this process, on a free port of this machine. */
export async function serving(
  texts: readonly SourceText[],
  way: Way,
  { prepare, documented, ...options }: ServingOptions = {},
): Promise<Service> {
  const planned = planTexts(texts);
  if (planned.failed) throw new Error(planned.diagnostics.map(({ code, message }) => `${code} ${message}`).join("\n"));
  const modules = await printAll(planned, { interpret: way === "interpreted" });
  const { configs, docs, serve } = await load(modules, { docs: documented ? documentOf(planned) : undefined });
  const log: string[] = [];
  const served = await serve(prepare === undefined ? configs : prepared(configs, prepare), {
    address: "127.0.0.1",
    port: 0,
    noticeMs: 0,
    docs,
    env: {},
    log: (level, msg, fields) => log.push(`${level} ${msg} ${JSON.stringify(fields ?? {})}`),
    ...options,
  });
  return { url: served.url, log, close: served.close };
}

const unscheduled: Scheduler = { missing: async () => [], start: () => undefined, stop: () => undefined };

/** Configs see the host of a service first when their schedules are made. */
function prepared([first, ...others]: readonly Config[], prepare: (host: Host) => void): readonly Config[] {
  if (first === undefined) return [];
  const schedules = (host: Host, config: Config): Scheduler => {
    prepare(host);
    return first.schedules?.(host, config) ?? unscheduled;
  };
  return [{ ...first, schedules }, ...others];
}

/** The world in which a pack runs: its configs, a database of its own, and a look at that past the service. */
export interface World {
  readonly texts: readonly SourceText[];
  readonly variables: JsonObject;
  /** Rows of a query. */
  readonly look: (query: string) => Promise<JsonObject[]>;
  /** Runs the SQL that the pack brings. */
  readonly apply: (sql: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** How many rows the tables of the starters hold. */
export async function rowCounts({ look }: Pick<World, "look">): Promise<number[]> {
  const [counts = {}] = await look(
    "SELECT (SELECT COUNT(*) FROM users) AS users, (SELECT COUNT(*) FROM posts) AS posts, (SELECT COUNT(*) FROM comments) AS comments",
  );
  return [Number(counts.users), Number(counts.posts), Number(counts.comments)];
}
