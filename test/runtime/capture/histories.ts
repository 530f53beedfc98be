import { openHistory } from "#runtime/capture/open.ts";
import type { Entry, History } from "#runtime/capture/recording.ts";
import { ownFolder, placeOf } from "../../harness/captured.ts";

/** Variables of the environment. */
export type Environment = Readonly<Record<string, string>>;

/** The folder of the running test. */
export let folder: ReturnType<typeof ownFolder>;

/** Makes the folder of a test. */
export function newFolder(): void {
  folder = ownFolder();
}

/** Removes it. */
export function removeFolder(): void {
  folder.remove();
}

const opened: History[] = [];

/** Closes what a test has opened. */
export async function closeHistories(): Promise<void> {
  await Promise.all(opened.splice(0).map((history) => history.close()));
}

/** Opens what this environment names. */
export function open(env: Environment, environment = "production"): History {
  const history = openHistory(placeOf(env, environment));
  opened.push(history);
  return history;
}

/** A run that ended at this time. */
export function entry(n: number, more: Partial<Entry> = {}): Entry {
  const at = 1_000_000 + n;
  const id = `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
  const run = { run_uuid: id, parent: null, config: "c", interface: "i", trigger: "http", ms: 3, status: 200, ...more };
  const record = { ...run, started: new Date(more.at ?? at).toISOString(), request: { params: {}, headers: {}, body: null }, actions: [] };
  return { at, ...record, text: JSON.stringify(record), ...more };
}

/** The numbers of the runs. */
export const ids = (found: { readonly runs: readonly { readonly run_uuid: string }[] }): number[] =>
  found.runs.map(({ run_uuid }) => Number(run_uuid.slice(-12)));
