import { setTimeout as sleep } from "node:timers/promises";
import type { History, RunFilter, RunSummary } from "#runtime/capture/recording.ts";
import { visible } from "#runtime/value/visible.ts";
import type { Terminal } from "../project.ts";
import { status } from "../status.ts";
import { type ChosenFlags, printable, queryOf, type RunsFlags, reading } from "./store.ts";

export type TailFlags = RunsFlags & Omit<ChosenFlags, "until" | "cursor">;

/** How often the store is asked, in milliseconds. */
const interval = 1_000;

const pageSize = 500;
/** Pages of runs that have come between two questions; what is more than that is passed over. */
const mostPages = 20;

/** The newest runs that fit, then each as it is recorded, a line each, until somebody interrupts it. */
export async function tailRuns(flags: TailFlags, terminal: Terminal): Promise<number> {
  const { filter, limit } = queryOf({ limit: "10", ...flags });
  const { signal, ended } = interruption();
  const show = flags.json === true ? asJson : asText;
  if (flags.json !== true) terminal.out(line(["STARTED", "STATUS", "MS", "TRIGGER", "RUN", "INTERFACE"]));
  // A file that the service has not made yet is waited for.
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

/** The newest page, and more where not one of it has been seen. */
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

/** Callers choose the UUID of their run: it may come again. */
const keyOf = ({ run_uuid, started }: RunSummary): string => `${run_uuid} ${started}`;

const asJson = (run: RunSummary): string => `${visible(JSON.stringify(run))}\n`;

const asText = ({ started, status: code, ms, trigger, run_uuid, config, interface: target }: RunSummary): string =>
  line([started, String(code), String(ms), trigger, run_uuid, `${target} of ${config}`].map(printable));

/** Widths of the columns; they are fixed, since the rows that will come are not known. */
const widths = [24, 6, 6, 8, 36];
const line = (cells: readonly string[]): string => `${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  ")}\n`;

const pause = (signal: AbortSignal): Promise<void> => sleep(interval, undefined, { signal }).catch(() => undefined);

/** Ends at Ctrl-C and SIGTERM, whose status `ended` gives. */
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
