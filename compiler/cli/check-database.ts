import { createLog } from "#runtime/process/log.ts";
import { type Flags, readSettings } from "#runtime/process/settings/options.ts";
import { Unmet } from "#runtime/process/unmet.ts";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import type { DescribedQueries } from "../5-analyse/index.ts";
import { load } from "../7-link/load.ts";
import { askDatabases, describedQueries, type ServerAnswers, type SettingsOf } from "../database/index.ts";
import { type Planned, printAll } from "../pipeline.ts";
import { besides, environmentOf, planPaths, refuseEnvironment, type Terminal } from "./project.ts";

/**
 * `check --database`: lets the servers of the databases describe the queries of a project. Configurations with errors are left out. The
 * addresses are evaluated as in a service of this environment; they never come from the data of a run.
 */
export async function describe(paths: readonly string[], flags: Flags, terminal: Terminal): Promise<DescribedQueries | undefined> {
  const environment = environmentOf(paths, flags, terminal);
  refuseEnvironment(environment);
  const planned = planPaths(paths, terminal.cwd);
  if (planned.failed || !planned.plans.some(({ databases }) => databases.length > 0)) return undefined;
  const settings = await readSettings(
    { ...flags, workers: "1", env: environment, besides: besides(paths, environment, terminal.cwd) },
    terminal.env,
  );
  if (settings.unmet.length > 0) throw new Unmet(settings.unmet);
  await using addresses = await addressesOf(planned, settings, terminal);
  const answers = await askDatabases(planned.plans, addresses.settingsOf);
  for (const answer of answers) terminal.err(lineOf(answer));
  return describedQueries(answers);
}

/** Evaluates the settings of databases in runs of their configurations that connect to no server. */
async function addressesOf(planned: Planned, settings: Awaited<ReturnType<typeof readSettings>>, { cwd }: Terminal) {
  const { createHost, LiveRun, startConfigs, configs: linked } = await load(await printAll(planned), { root: cwd });
  const host = createHost({ ...settings, log: createLog({ fd: 2, level: settings.logLevel }) });
  const { configs, problems } = startConfigs(host, linked);
  if (problems.length > 0) throw new Unmet(problems);
  const evaluated = new Map<string, JsonObject>();
  // The stand-in of a database only stores its settings and does not connect.
  host.resource<StandIns>("databases", () => ({
    opened: new WeakMap(),
    close: () => undefined,
    standIn: (source, run) => ({
      ping: async () => void evaluated.set(`${run.config.name}\0${source.name}`, source.settings(run)),
      close: () => undefined,
    }),
  }));
  const settingsOf: SettingsOf = async (index, database) => {
    const config = configs[index];
    const ping = config?.databases?.find(({ name }) => name === database)?.ping;
    if (config === undefined || ping === undefined) throw new Error("it has no connection");
    const request = { method: null, path: null, body: null as Json, raw_body: null, params: {}, headers: {}, ip: {} };
    const target = { name: "check", output: "none", run: () => undefined } as const;
    await ping(new LiveRun(host, config, target, { id: host.uuid(), trigger: "cli", ...request }));
    return evaluated.get(`${config.name}\0${database}`) ?? {};
  };
  return { settingsOf, [Symbol.asyncDispose]: () => host.close() };
}

type StandIns = import("#runtime/features/actions/database/source.ts").Connections;

function lineOf({ questions: { database, file, left }, answerCount }: ServerAnswers): string {
  const others = left === 0 ? "" : `; ${left} cannot be asked about: a batch, a text that data make, or no query of rows`;
  return `database ${database.name} of ${file}: ${answerCount} ${answerCount === 1 ? "query" : "queries"} described${others}\n`;
}
