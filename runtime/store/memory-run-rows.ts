import { tokenPath } from "./run-paths.ts";
import type { Checkpoint, ClaimedRun, NewRun, OpenWait, RunRow, RunStatus, Wait } from "./runs.ts";

// Rows of runs in memory, and the forms in which the store gives them.

/** A wait in memory; `payload` is present once a callback has sent one. */
export interface KeptWait extends Wait {
  readonly run: string;
  payload?: string;
}

/** A run in memory. `due` is the end of the lease while a node holds the run. */
export interface KeptRun {
  readonly run: NewRun;
  /** The number of the run, counted from the first run of the store. */
  readonly number: number;
  readonly created: number;
  readonly outputs: Map<string, string>;
  waits: KeptWait[];
  plan: string;
  status: RunStatus;
  epoch: number;
  node: string | null;
  due: number;
  bytes: number;
  ended: number | null;
  result: string | null;
}

export const isOver = (status: RunStatus): boolean => status !== "open" && status !== "waiting";

/** Waits whose action is not settled. */
export const openWaits = ({ waits, outputs }: KeptRun): readonly KeptWait[] => waits.filter(({ path }) => !outputs.has(path));

/** The end of a wait; a token expires with its wait. */
export const endOf = ({ path, until }: KeptWait, { waits }: KeptRun): number =>
  Math.min(until, ...waits.flatMap((other) => (tokenPath(other.path) === path ? [other.until] : [])));

export const stateOf = ({ payload, until }: KeptWait, now: number): OpenWait["state"] =>
  payload !== undefined ? "resumed" : until <= now ? "expired" : "open";

export const outputsOf = (entry: Pick<KeptRun, "outputs"> | undefined): readonly Checkpoint[] =>
  [...(entry?.outputs ?? [])].map(([path, output]) => ({ path, output }));

export function claimed(entry: KeptRun, now: number): ClaimedRun {
  const { id, config, interface: target, bundle, input, seed } = entry.run;
  return {
    id,
    config,
    interface: target,
    bundle,
    plan: entry.plan,
    input,
    seed,
    epoch: entry.epoch,
    checkpoints: outputsOf(entry),
    waits: openWaits(entry).map((wait) => ({
      path: wait.path,
      tokenHash: wait.tokenHash,
      state: stateOf(wait, now),
      ...(wait.payload === undefined ? {} : { payload: wait.payload }),
    })),
    age: now - entry.created,
  };
}

export function rowOf({ run, plan, status, epoch, node, due, created, ended }: KeptRun): RunRow {
  const { id, config, interface: target, bundle } = run;
  return { id, config, interface: target, bundle, plan, status, epoch, node, due: isOver(status) ? null : due, created, ended };
}
