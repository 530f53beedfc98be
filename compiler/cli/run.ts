import { validateHeaderName, validateHeaderValue } from "node:http";
import { resolve } from "node:path";
import { FileRefused, readInputSync, readRegularSync } from "#runtime/files/regular-file.ts";
import type { ConfigPlan } from "#runtime/plan/index.ts";
import { createLog } from "#runtime/process/log.ts";
import type { Flags } from "#runtime/process/settings/options.ts";
import { UsageError } from "#runtime/process/settings/usage-error.ts";
import { Unmet } from "#runtime/process/unmet.ts";
import type { Config, Interface } from "#runtime/run/interface.ts";
import { longestWait } from "#runtime/value/duration.ts";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { codeOf, messageOf } from "#runtime/value/thrown.ts";
import { load } from "../7-link/load.ts";
import { InternalError } from "../diagnostics/diagnostic.ts";
import { nearest } from "../diagnostics/nearest.ts";
import { printAll } from "../pipeline.ts";
import { type Begun, plainRun, storedRun } from "./begun-run.ts";
import { besides, environmentOf, failed, planProject, sayEnvironment, type Terminal } from "./project.ts";
import { commandSettings } from "./settings.ts";
import { status } from "./status.ts";

export interface RunFlags extends Flags {
  readonly body?: string;
  readonly param?: readonly string[];
  readonly header?: readonly string[];
  readonly raw?: boolean;
  readonly force?: boolean;
  readonly quiet?: boolean;
}

/** One run of an interface: its answer on stdout, logs on stderr; 0 when the status is below 400 (spec/surfaces 8). */
export async function run(name: string, paths: readonly string[], flags: RunFlags, terminal: Terminal): Promise<number> {
  const text = bodyText(flags.body, terminal.cwd);
  const body = parsed(text);
  const params = pairs(flags.param ?? [], "--param");
  const headers = headersOf(flags.header ?? []);
  const planned = planProject(paths, terminal);
  if (failed(planned, terminal)) return status.failed;
  requireRunnable(name, planned.plans, flags.force === true);
  const environment = environmentOf(paths, flags, terminal);
  if (flags.quiet !== true) sayEnvironment(environment, flags, terminal);
  const settingsFlags = { ...flags, env: environment, besides: besides(paths, environment, terminal.cwd) };
  const settings = await commandSettings(settingsFlags, terminal.env);
  if (settings.unmet.length > 0) throw new Unmet(settings.unmet);
  const loaded = await load(await printAll(planned), { root: terminal.cwd });
  const { createHost, LiveRun } = loaded;
  const host = createHost({ ...settings, log: createLog({ fd: 2, level: settings.logLevel }) });
  const { configs, problems } = loaded.startConfigs(host, loaded.configs);
  if (problems.length > 0) throw new Unmet(problems);
  const { config, target } = interfaceNamed(name, configs);
  for (const warning of settings.warnings) host.log("warn", warning);
  const request = { method: null, path: null, body, raw_body: text ?? null, params, headers, ip: {} };
  const current = new LiveRun(host, config, target, { id: host.uuid(), trigger: "cli", ...request });
  const { durable } = target;
  const begin = (): Begun => (durable === undefined ? plainRun(current, loaded) : storedRun(current, durable, loaded));
  const { begun, cut } = await untilCut(begin, settings.limits.runTimeoutMs);
  const answer = await begun.end(cut === undefined ? undefined : cut === status.timeout ? "late" : "left");
  await host.close();
  if (cut === status.timeout)
    terminal.err(`pipewright: '${name}' took longer than ${settings.limits.runTimeoutMs} ms (PIPEWRIGHT_RUN_TIMEOUT_MS)\n`);
  if (cut !== undefined) return cut;
  const isText = flags.raw === true || !terminal.isTerminal || !answer.headers["content-type"]?.includes("json");
  const output = isText ? answer.body : pretty(answer.body);
  terminal.out(flags.raw === true || output.endsWith("\n") ? output : `${output}\n`);
  return answer.status < 400 ? status.done : status.failed;
}

/** Refuses an unknown name, a name that several interfaces have, and an interface whose answer is not for the command line. */
function requireRunnable(name: string, plans: readonly ConfigPlan[], force: boolean): void {
  const all = plans.flatMap((config) => config.interfaces.map((target) => ({ config, target })));
  const [match, other] = all.filter(({ target }) => target.name === name);
  if (match === undefined) {
    const close = nearest(
      name,
      all.map(({ target }) => target.name),
    );
    throw new UsageError(`no interface '${name}'${close === undefined ? "" : `; did you mean '${close}'?`}`);
  }
  if (other !== undefined)
    throw new UsageError(`both ${match.config.name} and ${other.config.name} have an interface '${name}'; give the path of one config`);
  if (match.target.discards) throw new UsageError(`'${name}' says output: none: nobody gets its outcome`);
  if (match.target.output === "http" && !force) throw new UsageError(`'${name}' answers over HTTP; say --force to run it here`);
}

function interfaceNamed(name: string, configs: readonly Config[]): { readonly config: Config; readonly target: Interface } {
  const [match] = configs.flatMap((config) => config.interfaces.flatMap((target) => (target.name === name ? [{ config, target }] : [])));
  if (match === undefined) throw new InternalError(`no module has the interface ${name}`);
  return match;
}

/**
 * A run that is over. `cut` is the exit status if it was cut short by Ctrl-C, SIGTERM, SIGHUP or its time limit. Signal handlers are set
 * before the run begins, because a signal during its first action would otherwise end the process at once.
 */
async function untilCut(begin: () => Begun, limit: number): Promise<{ readonly begun: Begun; readonly cut: number | undefined }> {
  let cut: number | undefined;
  const interrupt = (): void => {
    cut = status.interrupted;
    begun.cut("interrupted");
  };
  const terminate = (): void => {
    cut = status.terminated;
    begun.cut("terminated");
  };
  process.once("SIGINT", interrupt);
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.once(signal, terminate);
  const begun = begin();
  const timer = setTimeout(
    () => {
      cut = status.timeout;
      begun.cut("late");
    },
    Math.min(limit, longestWait),
  );
  try {
    await begun.over;
    return { begun, cut };
  } finally {
    clearTimeout(timer);
    process.off("SIGINT", interrupt);
    for (const signal of ["SIGTERM", "SIGHUP"] as const) process.off(signal, terminate);
  }
}

/** The most bytes of a body from standard input, the same as of a request. */
const mostInput = 10 * 1024 * 1024;
/** The most bytes of a file with a body. */
const mostBytes = 64 * 1024 * 1024;

function bodyText(body: string | undefined, cwd: string): string | undefined {
  if (body === undefined || (body !== "-" && !body.startsWith("@"))) return body;
  const file = body.slice(1);
  try {
    return (body === "-" ? readInputSync(mostInput) : readRegularSync(resolve(cwd, file), mostBytes)).toString("utf8");
  } catch (error) {
    if (error instanceof FileRefused) throw new UsageError(`--body ${body}: ${error.message}`);
    const missing = codeOf(error) === "ENOENT";
    throw new UsageError(`--body ${body}: ${missing ? "there is no such file" : String(error)}`);
  }
}

/**
 * The body as JSON if it parses, else as text (spec/surfaces 1, no content type). A text that begins like JSON but does not parse is
 * refused.
 */
function parsed(text: string | undefined): Json {
  if (text === undefined || text === "") return null;
  try {
    return JSON.parse(text) as Json; // JSON.parse gives JSON
  } catch (error) {
    if (!/^\s*[{[]/.test(text)) return text;
    throw new UsageError(`--body begins as JSON does, and is none: ${messageOf(error)}`);
  }
}

const pretty = (text: string): string => (text === "" ? "" : JSON.stringify(JSON.parse(text), null, 2));

/** Headers in the form of a server: names in lower case, and repeated headers joined, except `set-cookie`. */
function headersOf(list: readonly string[]): JsonObject {
  const lines = list.map((pair) => header(pair)).map(([name, value]) => [name.toLowerCase(), value] as const);
  const all = [...Map.groupBy(lines, ([name]) => name)].map(([name, some]) => [name, some.map(([, value]) => value)] as const);
  return Object.fromEntries(all.map(([name, values]) => [name, name === "set-cookie" ? values : values.join(", ")]));
}

/** Reads a header. An error does not show the value, since it may be a secret. */
function header(pair: string): readonly [name: string, value: string] {
  const [name, value] = splitPair(pair, "--header");
  try {
    validateHeaderName(name);
  } catch {
    throw new UsageError(`--header takes name=value, and '${name}' is no name of a header`);
  }
  try {
    validateHeaderValue(name, value);
  } catch {
    throw new UsageError(`--header takes name=value, and the value of '${name}' holds a character that no header may have`);
  }
  return [name, value];
}

function splitPair(pair: string, flag: string): readonly [name: string, value: string] {
  const at = pair.indexOf("=");
  if (at < 1) throw new UsageError(`${flag} takes name=value, not '${pair}'`);
  return [pair.slice(0, at), pair.slice(at + 1)];
}

/** `name=value` pairs; a repeated name gives the list of its values, as in a query (spec/language 2.4). */
function pairs(list: readonly string[], flag: string): JsonObject {
  const split = list.map((pair) => splitPair(pair, flag));
  const values = Map.groupBy(split, ([name]) => name);
  return Object.fromEntries(
    [...values].map(([name, [first, ...more]]) => [
      name,
      oneOrAll(
        first?.[1] ?? "",
        more.map(([, value]) => value),
      ),
    ]),
  );
}

const oneOrAll = (first: string, more: readonly string[]): Json => (more.length === 0 ? first : [first, ...more]);
