import { type DatabaseArgs, type DatabaseSource, type Driver, database } from "../../runtime/features/actions/database.ts";
import { createHost, type Host } from "../../runtime/process/host.ts";
import { LiveAct } from "../../runtime/run/live-act.ts";
import { LiveRun } from "../../runtime/run/live-run.ts";
import type { Act } from "../../runtime/run/run.ts";
import type { Json, JsonObject } from "../../runtime/value/json.ts";

// Runs `database` actions as a process would. The unit tests of all drivers use this.

export interface Session {
  readonly host: Host;
  readonly logged: string[];
  readonly source: DatabaseSource;
  readonly act: () => Act;
  /** Runs an action with this query and returns its data. */
  readonly query: (query: string, params?: readonly Json[], more?: Partial<DatabaseArgs>) => Promise<Json>;
}

/** A process with one database. `config` names the configuration whose runs use it. */
export function session(
  driver: Driver,
  settings: JsonObject,
  { host, config = "test" }: { readonly host?: Host; readonly config?: string } = {},
): Session {
  const logged: string[] = [];
  const process = host ?? createHost({ env: {}, log: (level, msg) => logged.push(`${level} ${msg}`) });
  const source: DatabaseSource = { name: "main", driver, settings: () => settings };
  const act = (): Act => runningAct(process, config);
  const query: Session["query"] = (text, params, more) =>
    database(act(), source, { query: text, ...(params === undefined ? {} : { params }), ...more });
  return { host: process, logged, source, act, query };
}

/** An action of a run of its own. */
export function runningAct(host: Host, config = "test"): Act {
  const target = { name: "test", output: "http", run: () => undefined } as const;
  const needs = { env: [], vars: [], secrets: [] };
  const input = { id: "id", trigger: "http", method: "POST", path: "/", body: null, raw_body: null, params: {}, headers: {}, ip: {} };
  return new LiveAct(new LiveRun(host, { name: config, interfaces: [], needs }, target, input), "Query", {}, () => null);
}

/** The kind and text of the failure with which a promise rejects. */
export async function failure(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (thrown) {
    if (thrown instanceof Error)
      return "kind" in thrown ? `${String(thrown.kind)}: ${thrown.message}` : `${thrown.name}: ${thrown.message}`;
    throw thrown;
  }
  return "no failure";
}
