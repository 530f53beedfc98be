import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { isPipe } from "../../files/regular-file.ts";
import { type FromFile, fromFile, readDotenv } from "../../files/settings-file.ts";
import { environmentProblem } from "../../formats/environment-name.ts";
import { masterKeyOf } from "../../keys/envelope.ts";
import { openVariables, readVariables, unopened, type VariableFile } from "../../keys/variables.ts";
import { messageOf } from "../../value/thrown.ts";
import { type Entitlement, entitlements, type Limits, type LogLevel, type Variables } from "../host.ts";
import { type AdminSettings, adminOf, adminWarnings } from "./admin-options.ts";
import { type Bind, bindOf } from "./bind.ts";
import type { Environment } from "./environment.ts";
import { flags } from "./flags.ts";
import { limitsOf } from "./limits.ts";
import { checkOthers, oneOf } from "./other-variables.ts";
import { type TracingSettings, tracingOf } from "./tracing-options.ts";
import { named, UsageError } from "./usage-error.ts";

/** Flags of a serving process, as text. */
export interface Flags {
  readonly address?: string;
  readonly port?: string;
  /** Files of managed variables that the user has named; they may be pipes, and a later one wins. */
  readonly vars?: readonly string[];
  /** Files of managed variables beside the configurations; variables of `vars` win. */
  readonly besides?: readonly string[];
  /** The files of `vars` that have already been read, because they are pipes. */
  readonly piped?: ReadonlyMap<string, FromFile<VariableFile>>;
  readonly dotenv?: string;
  /** The SQLite file of the state, used when no database is named. */
  readonly stateFile?: string;
  readonly env?: string;
  /** The number of processes that share the port, or `auto` for one per processor. */
  readonly workers?: string;
  readonly logLevel?: string;
  /** The file with the key that opens sealed variables. */
  readonly masterKeyFile?: string;
  /** The file of the manifest that is enforced, in place of the one in the executable. */
  readonly enforceManifest?: string;
  /** Time at which the run clock stands still; only for tests. */
  readonly clock?: string;
}

/** The settings with which a process serves. */
export interface Settings {
  readonly organisation: string;
  readonly environment: string;
  readonly address: string;
  readonly port: number;
  /** The number of processes that share the port. */
  readonly workers: number;
  readonly limits: Limits;
  readonly entitlements: readonly Entitlement[];
  readonly logLevel: LogLevel;
  readonly corsOrigins: readonly string[];
  /** `on` when the API documentation is served, if there is one. */
  readonly documentation: "on" | "off";
  /** The address of the metrics, if a configuration has any. */
  readonly metricsBind: Bind | undefined;
  /** Settings of the admin API: its address and its keys. */
  readonly admin: AdminSettings;
  /** Settings of traces; undefined when the process traces no run. */
  readonly tracing: TracingSettings | undefined;
  readonly env: Environment;
  readonly variables: Variables;
  readonly clock?: number;
  /** The reasons that keep the process from starting, each with a remedy. */
  readonly unmet: readonly string[];
  /** Problems that are only logged. */
  readonly warnings: readonly string[];
}

/** Flags with which an executable does not serve, but prints information. */
export interface InfoRequest {
  readonly help?: boolean;
  readonly version?: boolean;
  /** True when the executable only asks whether a process serves at this address. */
  readonly healthcheck?: boolean;
}

/** Reads the flags of an executable, which does not have `--clock`. */
export function parseFlags(args: readonly string[]): Flags & InfoRequest {
  try {
    const { values } = parseArgs({ args: [...args], options: flags });
    const { "master-key-file": masterKeyFile, "log-level": logLevel, "enforce-manifest": enforceManifest, ...others } = values;
    return {
      ...others,
      ...(masterKeyFile === undefined ? {} : { masterKeyFile }),
      ...(logLevel === undefined ? {} : { logLevel }),
      ...(enforceManifest === undefined ? {} : { enforceManifest }),
    };
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

/**
 * Joins flags and `PIPEWRIGHT_*` variables into settings; a flag wins (spec/surfaces 0). Throws `UsageError` for a bad flag, or one that
 * names a missing file; mistakes in the environment or in a file are listed in `unmet`.
 */
export async function readSettings(flags: Flags, outside: Environment): Promise<Settings> {
  const unmet: string[] = [];
  const readOr = <V>(read: FromFile<V>, otherwise: V): V => {
    if ("value" in read) return read.value;
    unmet.push(read.problem);
    return otherwise;
  };
  const env = withState({ ...(flags.dotenv === undefined ? {} : readOr(named(readDotenv(flags.dotenv)), {})), ...outside }, flags);
  const files = [...(env.PIPEWRIGHT_VARS?.split(",").filter((file) => file !== "") ?? []), ...(flags.besides ?? [])];
  const piped = flags.piped ?? (await readPipes(flags.vars));
  const fromFlags = (flags.vars ?? []).map(async (file) => named(piped.get(file) ?? (await readVariables(file))));
  const read = await Promise.all([...files.map((file) => readVariables(file)), ...fromFlags]);
  const environment = flags.env ?? (env.PIPEWRIGHT_ENV || "production");
  const badName = environmentProblem(environment);
  if (badName !== undefined && flags.env !== undefined) throw new UsageError(badName);
  if (badName !== undefined) unmet.push(badName);
  const organisation = env.PIPEWRIGHT_ORG || "local";
  if (/\/|^\.\.?$/.test(organisation)) unmet.push(`PIPEWRIGHT_ORG must be one segment of a path, not '${organisation}'`);
  const opened = (admin: AdminSettings): Pick<Settings, "variables" | "warnings"> => {
    const files = read.flatMap((each) => readOr<VariableFile | undefined>(each, undefined) ?? []);
    const { variables, warnings } = variablesOf(files, { organisation, environment }, flags, env);
    return { variables, warnings: [...warnings, ...adminWarnings(admin, env)] };
  };
  const settings = {
    organisation,
    environment,
    address: flags.address ?? "0.0.0.0",
    port: portOf(flags.port ?? "4111"),
    workers: sharing(workersOf(flags.workers, env, unmet), piped, unmet),
    limits: limitsOf(env, unmet),
    entitlements: entitlementsOf(env, unmet),
    logLevel: logLevelOf(flags.logLevel) ?? oneOf(env, "PIPEWRIGHT_LOG_LEVEL", logLevels, "info", unmet),
    corsOrigins: originsOf(env, unmet),
    documentation: oneOf(env, "PIPEWRIGHT_DOCS", ["on", "off"], "on", unmet),
    metricsBind: bindOf("PIPEWRIGHT_METRICS_BIND", env.PIPEWRIGHT_METRICS_BIND || "", 9090, unmet),
    admin: adminOf(env, unmet),
    tracing: tracingOf(env, unmet),
    env,
    ...(flags.clock === undefined ? {} : { clock: clockOf(flags.clock) }),
    unmet,
  };
  checkOthers(env, unmet);
  return { ...settings, ...opened(settings.admin) };
}

/**
 * Keeps the state in the file when no database is named. It leaves the file out for a node among several, which need a shared database, and
 * when the environment bounds the state in memory, which then stays in memory.
 */
function withState(env: Environment, { stateFile }: Flags): Environment {
  const isNamed = Boolean(env.PIPEWRIGHT_STATE_DATABASE_URL || env.PIPEWRIGHT_DATABASE_URL);
  const isElsewhere = isNamed || env.PIPEWRIGHT_CLUSTERED === "true" || Boolean(env.PIPEWRIGHT_STATE_MAX_BYTES);
  if (stateFile === undefined || isElsewhere) return env;
  return { ...env, PIPEWRIGHT_STATE_DATABASE_URL: `sqlite:${stateFile}` };
}

/** Reads the pipes among the files that the user has named: a pipe gives its content only once. */
export async function readPipes(files: readonly string[] = []): Promise<ReadonlyMap<string, FromFile<VariableFile>>> {
  const kinds = await Promise.all(files.map((file) => isPipe(file).catch(() => false)));
  const pipes = files.filter((_, i) => kinds[i]);
  return new Map(await Promise.all(pipes.map(async (file) => [file, await readVariables(file, { isNamed: true })] as const)));
}

/**
 * The number of workers. With a pipe among the files there may be only one: the first process to read a pipe leaves it empty for the
 * others.
 */
function sharing(workers: number, piped: ReadonlyMap<string, unknown>, unmet: string[]): number {
  const [pipe] = piped.keys();
  if (workers > 1 && pipe !== undefined)
    unmet.push(`--vars ${pipe} is a pipe, which only one process can read: name a file, or use one worker`);
  return workers;
}

/** Reads origins as browsers write them, or `*` (spec/surfaces 1). */
function originsOf(env: Environment, unmet: string[]): readonly string[] {
  const entries = (env.PIPEWRIGHT_CORS_ORIGINS ?? "").split(",").map((one) => one.trim());
  const origins = entries.filter((one) => one !== "");
  const isOrigin = (one: string): boolean => one === "*" || one === "null" || (URL.canParse(one) && new URL(one).origin === one);
  for (const origin of origins)
    if (!isOrigin(origin)) unmet.push(`PIPEWRIGHT_CORS_ORIGINS: '${origin}' is no origin, such as https://app.example`);
  return origins;
}

/**
 * The variables of the files. Variables that cannot be opened are reported, but do not keep the process from starting (spec/surfaces 11).
 */
function variablesOf(
  files: readonly VariableFile[],
  owner: Pick<Settings, "organisation" | "environment">,
  { masterKeyFile }: Flags,
  env: Environment,
): Pick<Settings, "variables" | "warnings"> {
  const master = readMasterKey(masterKeyFile, env);
  const key = master !== undefined && "value" in master ? master.value : undefined;
  const variables = openVariables(files, { ...owner, master: key });
  const closed = unopened(variables);
  const warnings = [
    ...(master !== undefined && "problem" in master ? [master.problem] : []),
    ...(closed.length > 0 ? [`sealed variables cannot be opened: ${closed.join(", ")}; what reads them fails`] : []),
  ];
  return { variables, warnings };
}

/**
 * The key of `--master-key-file`, else of `PIPEWRIGHT_MASTER_KEY`: Base64 of 32 bytes, or `file:` and a path. Undefined when there is none.
 */
export function readMasterKey(
  file: string | undefined,
  env: Environment,
  name = "PIPEWRIGHT_MASTER_KEY",
  flag = "--master-key-file",
): FromFile<Uint8Array> | undefined {
  const setting = env[name] || undefined;
  const path = file ?? (setting?.startsWith("file:") ? setting.slice("file:".length) : undefined);
  const source = file === undefined ? name : flag;
  const read = path === undefined ? setting : fromFile(path, (content) => content.trim());
  const text = file === undefined || typeof read !== "object" ? read : named(read);
  if (text === undefined) return undefined;
  if (typeof text === "object" && "problem" in text) return { problem: `${source}: ${text.problem}` };
  const key = masterKeyOf(typeof text === "string" ? text : text.value);
  return key === undefined ? { problem: `${source} must be Base64 of 32 bytes, such as openssl rand -base64 32 prints` } : { value: key };
}

function portOf(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new UsageError(`--port must be a number from 0 to 65535, not '${text}'`);
  return Number(text);
}

const logLevels: readonly LogLevel[] = ["trace", "debug", "info", "warn", "error", "critical"];

function logLevelOf(flag: string | undefined): LogLevel | undefined {
  const level = logLevels.find((level) => level === flag);
  if (flag !== undefined && level === undefined) throw new UsageError(`--log-level must be one of ${logLevels.join(", ")}, not '${flag}'`);
  return level;
}

/** The most workers; more would only wait for each other. */
const mostWorkers = 256;

function workersOf(flag: string | undefined, { PIPEWRIGHT_WORKERS: variable }: Environment, unmet: string[]): number {
  const text = flag ?? (variable || "1");
  const count = text === "auto" ? availableParallelism() : /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= mostWorkers) return count;
  const problem = `must be a number from 1 to ${mostWorkers}, or auto, not '${text}'`;
  if (flag !== undefined) throw new UsageError(`--workers ${problem}`);
  unmet.push(`PIPEWRIGHT_WORKERS ${problem}`);
  return 1;
}

function clockOf(text: string): number {
  const time = /^\d+$/.test(text) ? Number(text) : Date.parse(text);
  if (Number.isNaN(time)) throw new UsageError(`--clock must be an ISO 8601 time or Unix milliseconds, not '${text}'`);
  return time;
}

/** Reads the list of features; all of them when it is not given. */
function entitlementsOf(env: Environment, unmet: string[]): readonly Entitlement[] {
  const text = env.PIPEWRIGHT_ENTITLEMENTS ?? "";
  if (text === "") return entitlements;
  const words = text.split(",").map((name) => name.trim());
  const unknown = words.find((name) => !entitlements.some((entitlement) => entitlement === name));
  if (unknown !== undefined) unmet.push(`PIPEWRIGHT_ENTITLEMENTS: '${unknown}' is none of ${entitlements.join(", ")}`);
  return entitlements.filter((entitlement) => words.includes(entitlement));
}
