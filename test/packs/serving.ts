import type { JsonObject } from "#runtime/json.ts";
import type { ServeOptions } from "#runtime/server.ts";
import { load } from "../../compiler/6-link/load.ts";
import { planTexts, printAll, type SourceText } from "../../compiler/pipeline.ts";

/** The two ways in which a config runs; `interpreted` walks every interface. */
export const ways = ["compiled", "interpreted"] as const;
export type Way = (typeof ways)[number];

export interface Service {
  readonly url: string;
  /** Every record of the log, as text. */
  readonly log: readonly string[];
  readonly close: () => Promise<boolean>;
}

/** Serves configs in this process, on a free port of this machine. */
export async function serving(texts: readonly SourceText[], way: Way, options: ServeOptions = {}): Promise<Service> {
  const planned = planTexts(texts);
  if (planned.failed) throw new Error(planned.diagnostics.map(({ code, message }) => `${code} ${message}`).join("\n"));
  const { configs, serve } = await load(await printAll(planned, { interpret: way === "interpreted" }));
  const log: string[] = [];
  const served = await serve(configs, {
    address: "127.0.0.1",
    port: 0,
    noticeMs: 0,
    env: {},
    log: (level, msg, fields) => log.push(`${level} ${msg} ${JSON.stringify(fields ?? {})}`),
    ...options,
  });
  return { url: served.url, log, close: served.close };
}

/** What a pack runs in: its configs, a database of its own, and a look at that past the service. */
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
