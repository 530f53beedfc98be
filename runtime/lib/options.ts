import { parseArgs } from "node:util";
import { defaultLimits, type Limits, type LogLevel } from "../host.ts";
import type { Json } from "../json.ts";
import { type FromFile, readDotenv, readVariables } from "./files.ts";

/** Flags of a serving process, as text. */
export interface Flags {
  readonly address?: string;
  readonly port?: string;
  /** Files of managed variables; a later one wins. */
  readonly vars?: readonly string[];
  readonly dotenv?: string;
  readonly env?: string;
  /** Time at which the run clock stands still; only for tests. */
  readonly clock?: string;
}

/** How a process serves. */
export interface Settings {
  readonly organisation: string;
  readonly environment: string;
  readonly address: string;
  readonly port: number;
  readonly limits: Limits;
  readonly logLevel: LogLevel;
  readonly router: "table" | "fastify";
  readonly env: Environment;
  readonly variables: Readonly<Record<string, Json>>;
  readonly clock?: number;
  /** What keeps the process from starting, each with what to set. */
  readonly unmet: readonly string[];
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Wrong use of the command line: status 3. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Reads the flags of an executable; `--clock` is none of them. */
export function parseFlags(args: readonly string[]): Flags & { readonly help?: boolean; readonly version?: boolean } {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        address: { type: "string" },
        port: { type: "string" },
        vars: { type: "string", multiple: true },
        dotenv: { type: "string" },
        env: { type: "string" },
        help: { type: "boolean", short: "h" },
        version: { type: "boolean" },
      },
    });
    return values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/**
 * Joins flags and `PIPEWRIGHT_*` variables into settings; a flag wins (surfaces.md 0). A bad flag throws `UsageError`; what is wrong with
 * the environment or a file is listed in `unmet`.
 */
export async function readSettings(flags: Flags, outside: Environment): Promise<Settings> {
  const unmet: string[] = [];
  const taken = <V>(read: FromFile<V>, otherwise: V): V => {
    if ("value" in read) return read.value;
    unmet.push(read.problem);
    return otherwise;
  };
  const env = { ...(flags.dotenv === undefined ? {} : taken(readDotenv(flags.dotenv), {})), ...outside };
  const files = [...(env.PIPEWRIGHT_VARS?.split(",").filter((file) => file !== "") ?? []), ...(flags.vars ?? [])];
  const variables = await Promise.all(files.map(readVariables));
  const environment = flags.env ?? (env.PIPEWRIGHT_ENV || "production");
  if (!/^[a-z0-9-]{1,64}$/.test(environment)) unmet.push(`environment '${environment}': use 1 to 64 of a-z, 0-9 and -`);
  return {
    organisation: env.PIPEWRIGHT_ORG || "local",
    environment,
    address: flags.address ?? "0.0.0.0",
    port: portOf(flags.port ?? "4111"),
    limits: limitsOf(env, unmet),
    logLevel: oneOf(env, "PIPEWRIGHT_LOG_LEVEL", ["trace", "debug", "info", "warn", "error", "critical"], "info", unmet),
    router: oneOf(env, "PIPEWRIGHT_HTTP_ROUTER", ["table", "fastify"], "table", unmet),
    env,
    variables: Object.fromEntries(variables.flatMap((read) => Object.entries(taken(read, {})))),
    ...(flags.clock === undefined ? {} : { clock: clockOf(flags.clock) }),
    unmet,
  };
}

function portOf(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new UsageError(`--port must be a number from 0 to 65535, not '${text}'`);
  return Number(text);
}

function clockOf(text: string): number {
  const time = /^\d+$/.test(text) ? Number(text) : Date.parse(text);
  if (Number.isNaN(time)) throw new UsageError(`--clock must be an ISO 8601 time or Unix milliseconds, not '${text}'`);
  return time;
}

function limitsOf(env: Environment, unmet: string[]): Limits {
  const whole = (name: string, otherwise: number, unit = 1): number => {
    const text = env[name] ?? "";
    if (/^\d{1,12}$/.test(text)) return Number(text) * unit;
    if (text !== "") unmet.push(`${name} must be a whole number, not '${text}'`);
    return otherwise;
  };
  return {
    ...defaultLimits,
    maxBodyBytes: whole("PIPEWRIGHT_MAX_BODY_BYTES", defaultLimits.maxBodyBytes),
    maxCompressBytes: whole("PIPEWRIGHT_MAX_COMPRESS_BYTES", defaultLimits.maxCompressBytes),
    runTimeoutMs: whole("PIPEWRIGHT_RUN_TIMEOUT_MS", defaultLimits.runTimeoutMs),
    maxDelayMs: whole("PIPEWRIGHT_MAX_DELAY_SECS", defaultLimits.maxDelayMs, 1_000),
    shutdownGraceMs: whole("PIPEWRIGHT_SHUTDOWN_GRACE_MS", defaultLimits.shutdownGraceMs),
  };
}

function oneOf<Word extends string>(env: Environment, name: string, words: readonly Word[], otherwise: Word, unmet: string[]): Word {
  const text = env[name] || otherwise;
  const word = words.find((known) => known === text);
  if (word === undefined) unmet.push(`${name} must be one of ${words.join(", ")}, not '${text}'`);
  return word ?? otherwise;
}
