import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import type { RunFilter } from "#runtime/capture/recording.ts";
import { noTestOf, recordedTest } from "#runtime/console/recorded-test.ts";
import { UsageError } from "#runtime/process/settings/usage-error.ts";
import { codeOf } from "#runtime/value/thrown.ts";
import { visible } from "#runtime/value/visible.ts";
import type { Terminal } from "../project.ts";
import { status } from "../status.ts";
import { type ChosenFlags, printable, queryOf, type RunsFlags, reading } from "./store.ts";

export interface ExportFlags extends RunsFlags, Omit<ChosenFlags, "limit" | "cursor"> {
  readonly out?: string;
  /** `test` exports one run as a contract test. */
  readonly as?: "test";
}

/** The number of records that are held in memory at once; each may have 256 KiB. */
const pageSize = 50;

/**
 * Exports the records of all runs that match, the newest first, one JSON text on each line. They go to stdout, or to a new file that only
 * its owner can read.
 */
export async function exportRuns({ out, ...flags }: ExportFlags, terminal: Terminal): Promise<number> {
  const { filter } = queryOf(flags);
  const count =
    out === undefined
      ? await writeRuns(flags, filter, terminal, terminal.out)
      : await inNewFile(resolve(terminal.cwd, out), out, (write) => writeRuns(flags, filter, terminal, write));
  terminal.err(`${count} ${count === 1 ? "run" : "runs"}${out === undefined ? "" : ` in ${out}`}\n`);
  return status.done;
}

/** Exports one run as a file of contract tests, to stdout or to a new file. */
export async function exportTest(id: string, { out, ...flags }: ExportFlags, terminal: Terminal): Promise<number> {
  const run = await reading(flags, terminal, (history) => history.find(id));
  if (run === undefined) {
    terminal.err(`pipewright: no run ${printable(id)} is kept\n`);
    return status.failed;
  }
  const refusal = noTestOf(run);
  if (refusal !== undefined) {
    terminal.err(`pipewright: ${refusal}\n`);
    return status.failed;
  }
  const text = recordedTest(run);
  if (out === undefined) terminal.out(text);
  else {
    await inNewFile(resolve(terminal.cwd, out), out, async (write) => write(text));
    terminal.err(`wrote ${printable(out)}\n`);
  }
  return status.done;
}

type Write = (text: string) => void;

async function writeRuns(flags: RunsFlags, filter: RunFilter, terminal: Terminal, write: Write): Promise<number> {
  const count = await reading(flags, terminal, async (history) => {
    let count = 0;
    for (let cursor: number | null | undefined; cursor !== null; ) {
      const { runs, next } = await history.records(filter, pageSize, cursor);
      for (const run of runs) write(`${visible(JSON.stringify(run))}\n`);
      count += runs.length;
      cursor = next;
    }
    return count;
  });
  return count ?? 0;
}

/** Writes a new file. An export that fails leaves no file behind. */
async function inNewFile<T>(path: string, name: string, work: (write: Write) => Promise<T>): Promise<T> {
  const file = opened(path, name);
  try {
    return await work((text) => void writeSync(file, text));
  } catch (error) {
    unlinkSync(path);
    throw error;
  } finally {
    closeSync(file);
  }
}

function opened(path: string, name: string): number {
  try {
    return openSync(path, "wx", 0o600);
  } catch (error) {
    const exists = codeOf(error) === "EEXIST";
    throw new UsageError(
      exists ? `--out ${name} is already there; nothing is overwritten` : `--out ${name} cannot be written: ${String(error)}`,
    );
  }
}
