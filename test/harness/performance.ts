import { mkdtempSync, rmSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Host } from "#runtime/process/host.ts";
import { background } from "#runtime/run/end/background.ts";
import type { Config } from "#runtime/run/interface.ts";
import type { startConfigs } from "#runtime/start/fields.ts";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { createFile, tablesOf } from "./peers/sqlite-file.ts";
import { upstream } from "./peers/upstream.ts";
import type { RequestCase, Scenario } from "./scenario.ts";
import { type Got, type Stub, send } from "./sockets.ts";
import { stillHost } from "./still-host.ts";
import { type Outcome, outcomes, settled, type Watched, watched } from "./watch.ts";

/** A config and the functions that serve it, all from one copy of the runtime: the classes of two copies would not match. */
export interface Linked {
  readonly config: Config;
  readonly open: Open;
  readonly startConfigs: typeof startConfigs;
}

/** Serves a config at a free port. */
export type Open = (host: Host, config: Config) => Promise<{ readonly url: string; readonly close: () => Promise<void> }>;

/** The response and the effects of one request. */
export interface Shown {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly calls: Stub["seen"];
  readonly log: readonly { readonly level: string; readonly msg: string; readonly fields: Readonly<Record<string, Json>> }[];
  readonly order: readonly string[];
  readonly outcomes: readonly Outcome[];
}

export interface Performance {
  readonly requests: readonly Shown[];
  /** Rows by table, when the scenario has a database. */
  readonly tables: Readonly<Record<string, readonly JsonObject[]>> | undefined;
}

/** The stub and the database of a scenario. All paths share them, so that addresses are equal on each. */
export interface Stage {
  readonly perform: (linked: Linked) => Promise<Performance>;
  readonly close: () => Promise<void>;
}

/** An address at which no server listens: port 1. */
const closed = "http://127.0.0.1:1";

export async function stage(scenario: Scenario): Promise<Stage> {
  const stub = await upstream(scenario.upstream ?? []);
  const folder = mkdtempSync(join(tmpdir(), "pipewright-scenario-"));
  const file = join(folder, "data.db");
  return {
    perform: async (linked) => {
      stub.seen.length = 0;
      if (scenario.database !== undefined) createFile(file, scenario.database.setup ?? "");
      const requests = await serve(linked, scenario, stub, file);
      return { requests, tables: scenario.database === undefined ? undefined : tablesOf(file) };
    },
    close: async () => {
      await stub.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Sends the requests one after the other to a real port. */
async function serve({ config: written, open, startConfigs }: Linked, scenario: Scenario, stub: Stub, file: string): Promise<Shown[]> {
  const log: Shown["log"][number][] = [];
  const host = stillHost({
    clock: Date.parse(scenario.clock ?? "1970-01-01T00:00:00Z"),
    env: { UPSTREAM: stub.url, DATABASE: `sqlite:${file}`, CLOSED: closed, ...scenario.env },
    variables: JSON.parse(JSON.stringify(scenario.vars ?? {}).replaceAll("{UPSTREAM}", stub.url)),
    ...(scenario.limits === undefined ? {} : { limits: scenario.limits }),
    log: (level, msg, fields = {}) => log.push({ level, msg, fields }),
  });
  const { configs, problems } = startConfigs(host, [written]);
  const [config] = configs;
  if (config === undefined || problems.length > 0) throw new Error(`the config does not start: ${problems.join(", ")}`);
  const watch = watched(config);
  const { url, close } = await open(host, watch.config);
  try {
    const shown: Shown[] = [];
    const names = new Map<string, string>();
    for (const request of scenario.requests) {
      const before = { calls: stub.seen.length, log: log.length, runs: watch.runs.length };
      const got = await send(url, request.path, sentOf(request));
      // Detached runs belong to the request, too.
      await background(host).ended();
      const runs = watch.runs.slice(before.runs);
      for (const run of runs) await settled(run);
      const all = { ...replyOf(got), ...runOf(runs), calls: stub.seen.slice(before.calls), log: log.slice(before.log) };
      const [id, name] = [got.headers["x-request-id"], request.headers?.["x-request-id"]];
      if (typeof id === "string" && name !== undefined) names.set(id, name);
      shown.push(renamed(all, names));
    }
    return shown;
  } finally {
    await close();
    await host.close();
  }
}

/**
 * Replaces ids of runs, which differ each time. When a case sends `x-request-id`, that name stands for the id of the run in the compared
 * texts, also in those of later requests.
 */
function renamed(shown: Shown, names: ReadonlyMap<string, string>): Shown {
  if (names.size === 0) return shown;
  const renamedIn = (text: string): string => [...names].reduce((out, [id, name]) => out.replaceAll(id, name), text);
  const plain = <V>(value: V): V => JSON.parse(renamedIn(JSON.stringify(value)));
  return { ...shown, headers: plain(shown.headers), body: renamedIn(shown.body), calls: plain(shown.calls), log: plain(shown.log) };
}

function sentOf({ method = "GET", headers = {}, body }: RequestCase): Parameters<typeof send>[2] {
  // A fixed host header, because the port changes from run to run and a config may read the header.
  const named = { host: "service.test", ...headers };
  if (body === undefined) return { method, headers: named };
  if (typeof body === "string") return { method, headers: { ...named, "content-length": Buffer.byteLength(body) }, body };
  const text = JSON.stringify(body);
  return { method, headers: { "content-type": "application/json", ...named, "content-length": Buffer.byteLength(text) }, body: text };
}

/** The response without headers of the connection. */
function replyOf({ status, headers: { date: _, connection: __, "keep-alive": ___, ...headers }, text }: Got) {
  return { status, headers, body: text };
}

/** The steps and outcomes of all runs of a request; a refused request has no run. */
function runOf(runs: readonly Watched[]): Pick<Shown, "order" | "outcomes"> {
  return { order: runs.flatMap(({ steps }) => steps), outcomes: runs.flatMap(outcomes) };
}
