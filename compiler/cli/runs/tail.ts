import { setTimeout as sleep } from "node:timers/promises";
import type { History, RunFilter, RunSummary } from "#runtime/capture/recording.ts";
import { visible } from "#runtime/value/visible.ts";
import type { Terminal } from "../project.ts";
import { status } from "../status.ts";
import { type ChosenFlags, printable, queryOf, type RunsFlags, reading } from "./store.ts";

export type TailFlags = RunsFlags & Omit<ChosenFlags, "until" | "cursor">;

/** Milliseconds between two queries of the store. */
const interval = 1_000;

const pageSize = 500;
/** The most pages of new runs that are read between two queries; older runs are skipped. */
const mostPages = 20;

/** Prints the newest runs that match, then each new run when it is recorded, one on each line, until a signal ends the command. */
export async function tailRuns(flags: TailFlags, terminal: Terminal): Promise<number> {
  const { filter, limit } = queryOf({ limit: "10", ...flags });
  const { signal, ended } = interruption();
  const show = flags.json === true ? asJson : asText;
  if (flags.json !== true) terminal.out(line(["STARTED", "STATUS", "MS", "TRIGGER", "RUN", "INTERFACE"]));
  // If the service has not yet created the file, the loop waits for it.
  while (!signal.aborted) {
    await reading(flags, terminal, (history) => follow(history, filter, limit, signal, (run) => terminal.out(show(run))));
    await pause(signal);
  }
  return ended();
}

async function follow(
  history: History,
  filter: RunFilter,
  limit: number,
  signal: AbortSignal,
  tell: (run: RunSummary) => void,
): Promise<void> {
  let { runs } = await history.list(filter, pageSize);
  for (const run of runs.slice(0, limit).reverse()) tell(run);
  while (!signal.aborted) {
    const seen = new Set(runs.map(keyOf));
    await pause(signal);
    runs = signal.aborted ? [] : await newest(history, filter, seen);
    for (const run of runs.filter((each) => !seen.has(keyOf(each))).reverse()) tell(run);
  }
}

/** The newest page, and further pages as long as no run of a page is known. */
async function newest(history: History, filter: RunFilter, seen: ReadonlySet<string>): Promise<readonly RunSummary[]> {
  const newestRuns: RunSummary[] = [];
  let cursor: number | undefined;
  for (let pages = 0; pages < mostPages; pages++) {
    const { runs, next } = await history.list(filter, pageSize, cursor);
    newestRuns.push(...runs);
    if (next === null || runs.some((run) => seen.has(keyOf(run)))) break;
    cursor = next;
  }
  return newestRuns;
}

/** The key of a run. Callers choose the UUID of their run, so it alone may repeat. */
const keyOf = ({ run_uuid, started }: RunSummary): string => `${run_uuid} ${started}`;

const asJson = (run: RunSummary): string => `${visible(JSON.stringify(run))}\n`;

const asText = ({ started, status: code, ms, trigger, run_uuid, config, interface: target }: RunSummary): string =>
  line([started, String(code), String(ms), trigger, run_uuid, `${target} of ${config}`].map(printable));

/** Widths of the columns; they are fixed, since later rows are not known. */
const widths = [24, 6, 6, 8, 36];
const line = (cells: readonly string[]): string => `${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  ")}\n`;

const pause = (signal: AbortSignal): Promise<void> => sleep(interval, undefined, { signal }).catch(() => undefined);

/** A signal that ends at Ctrl-C and SIGTERM; `ended` gives the exit status. */
function interruption(): { readonly signal: AbortSignal; readonly ended: () => number } {
  const controller = new AbortController();
  let code: number = status.done;
  const end = (how: number) => (): void => {
    code = how;
    controller.abort();
  };
  process.once("SIGINT", end(status.interrupted));
  process.once("SIGTERM", end(status.terminated));
  return { signal: controller.signal, ended: () => code };
}
