import type { CapturedRun, Entry, RunFilter, RunPage, RunSummary } from "./recording.ts";

/** The owner of runs: processes of several environments may share a store. */
export interface Owner {
  readonly organisation: string;
  readonly environment: string;
}

/** The columns of a row that a list needs, and the columns that an export needs. */
export const summaryColumns = "seq, run_uuid, parent, config, interface, trigger, started, ms, status";
export const recordColumns = "seq, record";

/** Makes a page of rows. The query has asked for one row more than a page holds, which shows whether another page follows. */
export function pageOf<R>(rows: readonly Row[], limit: number, runOf: (row: Row) => R): RunPage<R> {
  const page = rows.slice(0, limit);
  return { runs: page.map(runOf), next: rows.length > limit ? Number(page.at(-1)?.seq) : null };
}

type Row = Readonly<Record<string, unknown>>;

/** Condition of a column, with a parameter: `?` stands for it. */
export interface Condition {
  readonly text: string;
  readonly value: number | string;
}

/** The conditions of a filter, in one order. */
export function conditionsOf({ config, interface: target, trigger, status, since, until }: RunFilter): Condition[] {
  const all: [string, number | string | undefined][] = [
    ["config = ?", config],
    ["interface = ?", target],
    ["trigger = ?", trigger],
    [status !== undefined && status < 10 ? "status / 100 = ?" : "status = ?", status],
    ["started >= ?", since],
    ["started < ?", until],
  ];
  return all.flatMap(([text, value]) => (value === undefined ? [] : [{ text, value }]));
}

/** True when a run that is not stored as a row yet matches a filter. */
export function fits(filter: RunFilter, run: Pick<Entry, "config" | "interface" | "trigger" | "status" | "at">): boolean {
  const { config, interface: target, trigger, status, since, until } = filter;
  return (
    (config === undefined || run.config === config) &&
    (target === undefined || run.interface === target) &&
    (trigger === undefined || run.trigger === trigger) &&
    (status === undefined || run.status === status || Math.floor(run.status / 100) === status) &&
    (since === undefined || run.at >= since) &&
    (until === undefined || run.at < until)
  );
}

/** A row as a list shows it. */
export function summaryOf(row: Row): RunSummary {
  return {
    run_uuid: String(row.run_uuid),
    parent: row.parent === null ? null : String(row.parent),
    config: String(row.config),
    interface: String(row.interface),
    trigger: String(row.trigger),
    started: new Date(Number(row.started)).toISOString(),
    ms: Number(row.ms),
    status: Number(row.status),
  };
}

/** The record of a row. Only this program writes records, so that the type is known. */
export const recordIn = ({ record }: Row): CapturedRun => JSON.parse(String(record)) as CapturedRun;
