import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { openHistory } from "#runtime/capture/open.ts";
import { cursorText, readQuery } from "#runtime/capture/query.ts";
import type { CapturedAction, CapturedRun, History, RunSummary } from "#runtime/capture/recording.ts";
import type { Json } from "#runtime/json.ts";
import { readDotenv } from "#runtime/lib/files.ts";
import { visible } from "#runtime/lib/log.ts";
import { UsageError } from "#runtime/lib/options.ts";
import { status, type Terminal } from "./project.ts";
import { table } from "./table.ts";

export interface RunsFlags {
  readonly env?: string;
  /** Folder in which the service runs. */
  readonly dir: string;
  readonly dotenv?: string;
  readonly json?: boolean;
}

export interface ListFlags extends RunsFlags {
  readonly config?: string;
  readonly interface?: string;
  readonly trigger?: string;
  readonly status?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit?: string;
  readonly cursor?: string;
}

/** The store does not answer, or is none: status 78. */
class NoStore extends Error {
  override readonly name = "Unmet";
}

/** The newest runs of an environment that fit, a line each. */
export async function listRuns({ env, dir, dotenv, json, ...chosen }: ListFlags, terminal: Terminal): Promise<number> {
  const query = readQuery(new Map(Object.entries(chosen)), Date.now());
  if ("problem" in query) throw new UsageError(`--${query.parameter} ${query.problem}`);
  const flags = { dir, ...(env === undefined ? {} : { env }), ...(dotenv === undefined ? {} : { dotenv }) };
  const page = await reading(flags, terminal, (history) => history.list(query.filter, query.limit, query.cursor));
  const next = cursorText(page?.next ?? null);
  const runs = page?.runs ?? [];
  if (json === true) terminal.out(`${visible(JSON.stringify({ runs, next }, null, 2))}\n`);
  else {
    terminal.out(table([["STARTED", "STATUS", "MS", "TRIGGER", "CONFIG", "INTERFACE", "RUN"], ...runs.map(cells)]));
    if (next !== null) terminal.err(`more with --cursor ${next}\n`);
  }
  return status.done;
}

const cells = ({ started, status: code, ms, trigger, config, interface: target, run_uuid }: RunSummary): string[] =>
  [started, String(code), String(ms), trigger, config, target, run_uuid].map(printable);

/** One run with all that is kept of it. */
export async function showRun(id: string, flags: RunsFlags, terminal: Terminal): Promise<number> {
  const found = await reading(flags, terminal, (history) => history.find(id));
  if (found === undefined) {
    terminal.err(`pipewright: no run ${printable(id)} is kept\n`);
    return status.failed;
  }
  terminal.out(flags.json === true ? `${visible(JSON.stringify(found, null, 2))}\n` : described(found));
  return status.done;
}

function described(run: CapturedRun): string {
  const { method, route } = run.request;
  const how = [run.trigger, method, route].filter((part) => part !== undefined).join(" ");
  const head = [
    ["run", run.run_uuid],
    ...(run.parent === null ? [] : [["started by", run.parent]]),
    ["interface", `${run.interface} of ${run.config}`],
    ["trigger", how],
    ["started", `${run.started}, took ${run.ms} ms`],
    ["status", `${run.status}${run.aborted === true ? ", aborted" : ""}`],
    ...(run.errors ?? []).map((error) => ["error", error]),
  ];
  const request = (["params", "headers", "body"] as const).flatMap((part) => member(part, run.request[part]));
  return [table(head.map((row) => row.map(printable))), "\nrequest\n", ...request, ...run.actions.flatMap(action)].join("");
}

function action({ name, status: state, ms, input, data, error, errors = [] }: CapturedAction): string[] {
  return [
    `\n${printable(name)}: ${state}, ${ms} ms\n`,
    ...[...(error === undefined ? [] : [error]), ...errors].map((each) => `  error  ${printable(each)}\n`),
    ...(input === undefined ? [] : member("input", input)),
    ...(data === undefined ? [] : member("data", data)),
  ];
}

const member = (name: string, value: Json): string[] => [
  `  ${name}  ${visible(JSON.stringify(value, null, 2)).replaceAll("\n", `\n  ${" ".repeat(name.length + 2)}`)}\n`,
];

/** What callers have sent may hold what a terminal would obey. */
const printable = (text: string): string => visible(JSON.stringify(text).slice(1, -1)).replaceAll('\\"', '"');

/** Asks the store of an environment; undefined where nothing was ever kept. */
async function reading<T>(flags: RunsFlags, terminal: Terminal, ask: (history: History) => Promise<T>): Promise<T | undefined> {
  const env = environmentOf(flags, terminal);
  const file = /^sqlite:(?:\/\/)?(.+)$/i.exec(env.PIPEWRIGHT_DATABASE_URL ?? "")?.[1];
  if (file !== undefined && !existsSync(resolve(terminal.cwd, file))) return undefined;
  const history = openHistory({
    organisation: env.PIPEWRIGHT_ORG || "local",
    environment: flags.env ?? (env.PIPEWRIGHT_ENV || "production"),
    env: (name) => (name === "PIPEWRIGHT_CAPTURE_DIR" ? resolve(terminal.cwd, flags.dir, env[name] || ".pipewright") : env[name]),
    log: () => undefined,
  });
  try {
    return await ask(history);
  } catch (error) {
    throw new NoStore(`the store of runs does not answer: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    await history.close();
  }
}

function environmentOf({ dotenv, dir }: RunsFlags, { cwd, env }: Terminal): Terminal["env"] {
  if (!existsSync(join(cwd, dir)) && !existsSync(dir)) throw new UsageError(`no folder ${dir}`);
  if (dotenv === undefined) return env;
  const read = readDotenv(resolve(cwd, dotenv));
  if ("problem" in read) throw new UsageError(read.problem);
  return { ...read.value, ...env };
}
