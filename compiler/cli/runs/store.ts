import { existsSync, lstatSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { openHistory } from "#runtime/capture/open.ts";
import { type RunQuery, readQuery } from "#runtime/capture/query.ts";
import type { History } from "#runtime/capture/recording.ts";
import { readDotenv } from "#runtime/files/settings-file.ts";
import { createHost } from "#runtime/process/host.ts";
import { UsageError } from "#runtime/process/settings/usage-error.ts";
import { messageOf } from "#runtime/value/thrown.ts";
import { visible } from "#runtime/value/visible.ts";
import { presetEnvironment, type Terminal } from "../project.ts";

// This file has the common parts of the commands of `runs`: the store, the choice of runs, and the escaping of texts of callers.

export interface RunsFlags {
  readonly env?: string;
  /** The folder in which the service runs. */
  readonly dir: string;
  readonly dotenv?: string;
  readonly json?: boolean;
}

/** The flags that filter runs, unparsed. */
export interface ChosenFlags {
  readonly config?: string;
  readonly interface?: string;
  readonly trigger?: string;
  readonly status?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit?: string;
  readonly cursor?: string;
}

const filters = ["config", "interface", "trigger", "status", "since", "until", "limit", "cursor"] as const;

/** Reads the flags that filter runs; a flag with a wrong value is wrong usage. */
export function queryOf(flags: ChosenFlags): RunQuery {
  const pairs = filters.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]] as const]));
  const query = readQuery(new Map(pairs), Date.now());
  if ("problem" in query) throw new UsageError(`--${query.parameter} ${query.problem}`);
  return query;
}

/** Escapes control sequences of terminals in a text of a caller. Quotes and backslashes stay, so that JSON stays JSON. */
export const printable = (text: string): string =>
  visible(
    JSON.stringify(text)
      .slice(1, -1)
      .replace(/\\(["\\])/g, "$1"),
  );

/** The error of a store that does not answer or does not exist: status 78. */
class NoStore extends Error {
  override readonly name = "Unmet";
}

/** The environment of the runs, and the words for the store. The address of a database is not shown, since it may hold a password. */
export function placeOf(flags: RunsFlags, terminal: Terminal): { readonly environment: string; readonly store: string } {
  const env = environmentOf(flags, terminal);
  const address = env.PIPEWRIGHT_DATABASE_URL ?? "";
  const file = sqliteFile(address);
  const own = env.PIPEWRIGHT_CAPTURE_DIR || ".pipewright";
  const folder = isAbsolute(own) ? own : join(flags.dir, own);
  const database = file === undefined ? "the database of PIPEWRIGHT_DATABASE_URL" : printable(file);
  return { environment: chosenEnvironment(flags, terminal, env), store: address === "" ? printable(folder) : database };
}

const chosenEnvironment = (flags: RunsFlags, { cwd }: Terminal, env: Terminal["env"]): string =>
  flags.env ?? (env.PIPEWRIGHT_ENV || presetEnvironment([resolve(cwd, flags.dir)]));

/** The organisation and the environment of the runs. */
export function ownerOf(flags: RunsFlags, terminal: Terminal): { readonly organisation: string; readonly environment: string } {
  const env = environmentOf(flags, terminal);
  return { organisation: env.PIPEWRIGHT_ORG || "local", environment: chosenEnvironment(flags, terminal, env) };
}

const sqliteFile = (address: string): string | undefined => /^sqlite:(?:\/\/)?(.+)$/i.exec(address)?.[1];

/** Opens the store of an environment for `ask`; undefined if no run was ever stored. */
export async function reading<T>(flags: RunsFlags, terminal: Terminal, ask: (history: History) => Promise<T>): Promise<T | undefined> {
  const env = environmentOf(flags, terminal);
  const file = sqliteFile(env.PIPEWRIGHT_DATABASE_URL ?? "");
  if (file !== undefined && !existsSync(resolve(terminal.cwd, file))) return undefined;
  const history = openHistory(
    createHost({
      ...ownerOf(flags, terminal),
      env: { ...env, PIPEWRIGHT_CAPTURE_DIR: resolve(terminal.cwd, flags.dir, env.PIPEWRIGHT_CAPTURE_DIR || ".pipewright") },
    }),
  );
  return answer(history, () => ask(history));
}

/** The answer of a store of runs, which is closed behind it. */
export async function answer<T>(store: { readonly close: () => void | Promise<void> }, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new NoStore(`the store of runs does not answer: ${messageOf(error)}`);
  } finally {
    await store.close();
  }
}

/**
 * The environment variables with the address of the durable runs. Undefined if there can be no such runs, so that no file is created only
 * to search it.
 */
export function durableEnvironment(flags: RunsFlags, terminal: Terminal): Terminal["env"] | undefined {
  const env = environmentOf(flags, terminal);
  const address = env.PIPEWRIGHT_STATE_DATABASE_URL || env.PIPEWRIGHT_DATABASE_URL || "";
  const own = resolve(terminal.cwd, flags.dir, ".pipewright", "state.db");
  const file = address === "" ? own : sqliteFile(address);
  if (file === undefined) return env;
  const path = resolve(terminal.cwd, file);
  const isFile = lstatSync(path, { throwIfNoEntry: false })?.isFile() === true || (address !== "" && existsSync(path));
  return isFile ? { ...env, PIPEWRIGHT_STATE_DATABASE_URL: `sqlite:${path}` } : undefined;
}

function environmentOf({ dotenv, dir }: RunsFlags, { cwd, env }: Terminal): Terminal["env"] {
  if (!existsSync(join(cwd, dir)) && !existsSync(dir)) throw new UsageError(`no folder ${dir}`);
  if (dotenv === undefined) return env;
  const read = readDotenv(resolve(cwd, dotenv));
  if ("problem" in read) throw new UsageError(read.problem);
  return { ...read.value, ...env };
}
