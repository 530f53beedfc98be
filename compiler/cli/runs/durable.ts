import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { retryRun } from "#runtime/durable/retry.ts";
import { createHost } from "#runtime/process/host.ts";
import { UsageError } from "#runtime/process/settings/usage-error.ts";
import { runsOf } from "#runtime/store/open-runs.ts";
import {
  cancelRun,
  type Ordered,
  resumeRun,
  runJson,
  type ShownRun,
  settledActions,
  shownRun,
  shownWaits,
  stuckMs,
} from "#runtime/store/run-orders.ts";
import type { RunRow, RunStore } from "#runtime/store/runs.ts";
import type { Json } from "#runtime/value/json.ts";
import { visible } from "#runtime/value/visible.ts";
import type { Terminal } from "../project.ts";
import { status } from "../status.ts";
import { table } from "../table.ts";
import { answer, durableEnvironment, ownerOf, printable, type RunsFlags } from "./store.ts";

// The flags of the commands with which an operator reads and changes durable runs (spec/surfaces 14).

export interface DurableFlags extends RunsFlags {
  readonly waiting?: boolean;
  readonly stuck?: boolean;
  readonly durable?: boolean;
  readonly config?: string;
  readonly interface?: string;
  readonly limit?: string;
  readonly cursor?: string;
}

/** Lists the durable runs that wait, that are stuck, or all, one on each line, the newest first. */
export async function listDurable(flags: DurableFlags, terminal: Terminal): Promise<number> {
  const limit = Number(flags.limit ?? 50);
  if (!Number.isInteger(limit) || limit < 1 || limit > 500) throw new UsageError("--limit must be a number from 1 to 500");
  const { config, interface: target, cursor: after } = flags;
  const { rows, now } = await withRuns(flags, terminal, async (runs) => {
    const now = await runs.now();
    const filter = { config, interface: target, after, limit };
    const chosen = flags.stuck === true ? { dueBefore: now - stuckMs } : flags.waiting === true ? { status: "waiting" as const } : {};
    return { rows: await runs.list({ ...filter, ...chosen }), now };
  });
  const next = rows.length === limit ? (rows.at(-1)?.id ?? null) : null;
  if (flags.json === true) terminal.out(`${visible(JSON.stringify({ runs: rows.map((row) => runJson(row, now)), next }, null, 2))}\n`);
  else {
    terminal.out(table([["CREATED", "STATUS", "DUE", "NODE", "CONFIG", "INTERFACE", "RUN"], ...rows.map((row) => cells(row, now))]));
    if (next !== null) terminal.err(`more with --cursor ${printable(next)}\n`);
    if (rows.length === 0) terminal.err("no such durable runs\n");
  }
  return status.done;
}

const cells = (row: RunRow, now: number): string[] =>
  [
    new Date(row.created).toISOString(),
    row.due !== null && row.due < now - stuckMs ? `${row.status}, stuck` : row.status,
    row.due === null ? "" : new Date(row.due).toISOString(),
    row.node ?? "",
    row.config,
    row.interface,
    row.id,
  ].map(printable);

/** A durable run, with its finished actions and the reasons why it waits; undefined when it is unknown. */
export async function durableRun(id: string, flags: RunsFlags, terminal: Terminal): Promise<Shown | undefined> {
  if (durableEnvironment(flags, terminal) === undefined) return undefined;
  const { run, now } = await withRuns(flags, terminal, async (runs) => ({ run: await shownRun(runs, id), now: await runs.now() }));
  return run === undefined ? undefined : { json: runJson(run, now), text: described(run, now) };
}

export interface Shown {
  readonly json: Json;
  readonly text: string;
}

function described(run: ShownRun, now: number): string {
  const time = (ms: number): string => new Date(ms).toISOString();
  const isStuck = run.due !== null && run.due < now - stuckMs;
  const due = run.due === null ? [] : [[run.node === null ? "due" : "lease until", time(run.due)]];
  const rows = [
    ["durable run", run.id],
    ["interface", `${run.interface} of ${run.config}`],
    ["status", isStuck ? `${run.status}, stuck: no node goes on with it` : run.status],
    ["created", time(run.created)],
    ...due,
    ...(run.ended === null ? [] : [["ended", time(run.ended)]]),
    ...(run.node === null ? [] : [["node", run.node]]),
    ["times taken", String(run.epoch)],
    ["plan", run.plan],
    ["bundle", run.bundle],
    ["settled", settledActions(run).join(", ") || "nothing yet"],
    ...shownWaits(run).flatMap(({ action, until, state, question }) => [
      ["wait", `${action}: ${state}, until ${time(until)}`],
      ...(question === undefined ? [] : [["asks", cut(JSON.stringify(question))]]),
    ]),
    ...(run.result === null ? [] : [["result", run.result]]),
  ];
  return table(rows.map((row) => row.map(printable)));
}

/** The most characters of a question that are shown; `--json` shows all. */
const mostShown = 4_000;

const cut = (text: string): string => (text.length > mostShown ? `${text.slice(0, mostShown)}… (${text.length} characters)` : text);

export interface ResumeFlags extends RunsFlags {
  readonly action?: string;
  readonly body?: string;
}

/** Continues a waiting run as if its callback had come. */
export function resumeDurable(id: string, flags: ResumeFlags, terminal: Terminal): Promise<number> {
  const body = bodyOf(flags.body, terminal);
  return ordered(id, flags, terminal, async (runs) => resumeRun(runs, id, { action: flags.action, body, receivedAt: await runs.now() }));
}

export const cancelDurable = (id: string, flags: RunsFlags, terminal: Terminal): Promise<number> =>
  ordered(id, flags, terminal, (runs) => cancelRun(runs, id));

export const retryDurable = (id: string, flags: RunsFlags, terminal: Terminal): Promise<number> =>
  ordered(id, flags, terminal, (runs) => retryRun(runs, id));

async function ordered(id: string, flags: RunsFlags, terminal: Terminal, order: (runs: RunStore) => Promise<Ordered>): Promise<number> {
  const answer = await withRuns(flags, terminal, order);
  if (flags.json === true) {
    const { isUnknown: _, ...told } = { isUnknown: undefined, ...answer };
    terminal.out(`${visible(JSON.stringify({ id, ...told }))}\n`);
  } else if ("done" in answer) terminal.out(`${printable(id)} ${answer.done}\n`);
  if ("done" in answer) return status.done;
  if (flags.json !== true) terminal.err(`pipewright: ${printable(id)}: ${printable(answer.refused)}\n`);
  return status.failed;
}

/** The most bytes of a body, the same as of a callback. */
const mostBody = 1_048_576;

function bodyOf(text: string | undefined, { cwd }: Terminal): Json {
  if (text === undefined) return null;
  try {
    const source = text.startsWith("@") ? readFileSync(resolve(cwd, text.slice(1)), "utf8") : text;
    if (Buffer.byteLength(source) > mostBody) throw new UsageError("--body may have 1 MiB");
    return JSON.parse(source) as Json;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError("--body must be JSON, or @FILE with JSON");
  }
}

/** Opens the durable runs of a database for `ask`. */
export async function withRuns<T>(flags: RunsFlags, terminal: Terminal, ask: (runs: RunStore) => Promise<T>): Promise<T> {
  const env = durableEnvironment(flags, terminal);
  if (env === undefined)
    throw new UsageError(
      "durable runs are in a database, and there is none: set PIPEWRIGHT_DATABASE_URL, or choose another --dir or --dotenv",
    );
  const host = createHost({ ...ownerOf(flags, terminal), env });
  return answer(host, () => ask(runsOf(host)));
}
