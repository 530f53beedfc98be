import { type OpenWait, type RunDetails, type RunRow, runStatuses } from "./runs.ts";

/** A row as a backend gives it: numbers may be texts. */
export type Row = Readonly<Record<string, unknown>>;

/** Columns of a run that a list shows. */
export const listedColumns = "number, id, config, interface, bundle, plan, status, epoch, node, due, created, ended";

const numberOrNull = (value: unknown): number | null => (value === null || value === undefined ? null : Number(value));

const textOrNull = (value: unknown): string | null => (value === null || value === undefined ? null : String(value));

export function rowOf(row: Row): RunRow {
  const ended = numberOrNull(row.ended);
  return {
    id: String(row.id),
    config: String(row.config),
    interface: String(row.interface),
    bundle: String(row.bundle),
    plan: String(row.plan),
    status: runStatuses.find((status) => status === row.status) ?? "open",
    epoch: Number(row.epoch),
    node: textOrNull(row.node),
    due: ended === null ? Number(row.due) : null,
    created: Number(row.created),
    ended,
  };
}

const stateOf = ({ payload, until }: Row, now: number): OpenWait["state"] =>
  payload !== null ? "resumed" : Number(until) <= now ? "expired" : "open";

export function waitOf(row: Row, now: number): OpenWait {
  const { payload } = row;
  const wait = { path: String(row.path), tokenHash: String(row.token_hash), state: stateOf(row, now) };
  return typeof payload === "string" ? { ...wait, payload } : wait;
}

export function detailsOf(run: Row, paths: readonly Row[], waits: readonly Row[], now: number): RunDetails {
  return {
    ...rowOf(run),
    settled: paths.map(({ path }) => String(path)),
    waits: waits.map((wait) => ({
      path: String(wait.path),
      tokenHash: String(wait.token_hash),
      until: Number(wait.until),
      state: stateOf(wait, now),
    })),
    result: textOrNull(run.result),
  };
}
