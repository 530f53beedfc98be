import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { openHistory } from "#runtime/capture/open.ts";
import { type RunQuery, readQuery } from "#runtime/capture/query.ts";
import type { History } from "#runtime/capture/recording.ts";
import { readDotenv } from "#runtime/lib/files.ts";
import { UsageError } from "#runtime/lib/options.ts";
import { visible } from "#runtime/lib/visible.ts";
import type { Terminal } from "./project.ts";

// What the commands of `runs` have in common: which store, which runs, and how a text of a caller is shown.

export interface RunsFlags {
  readonly env?: string;
  /** Folder in which the service runs. */
  readonly dir: string;
  readonly dotenv?: string;
  readonly json?: boolean;
}

/** Which runs; every flag as it is written. */
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

const chosen = ["config", "interface", "trigger", "status", "since", "until", "limit", "cursor"] as const;

/** Reads the flags that choose runs; one that says nothing sensible is wrong usage. */
export function queryOf(flags: ChosenFlags): RunQuery {
  const given = chosen.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]] as const]));
  const query = readQuery(new Map(given), Date.now());
  if ("problem" in query) throw new UsageError(`--${query.parameter} ${query.problem}`);
  return query;
}

/** What callers have sent may hold what a terminal would obey. */
export const printable = (text: string): string => visible(JSON.stringify(text).slice(1, -1)).replaceAll('\\"', '"');

/** The store does not answer, or is none: status 78. */
class NoStore extends Error {
  override readonly name = "Unmet";
}

/** Asks the store of an environment; undefined where nothing was ever kept. */
export async function reading<T>(flags: RunsFlags, terminal: Terminal, ask: (history: History) => Promise<T>): Promise<T | undefined> {
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
    if (error instanceof UsageError) throw error;
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
