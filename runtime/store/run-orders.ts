import type { Json, JsonObject } from "../value/json.ts";
import type { RunDetails, RunStore } from "./runs.ts";
import { actionOfToken, isOfToken } from "./token-path.ts";

// Orders of an operator for durable runs, by the command.

/** Milliseconds after which a run that is due and goes on nowhere is stuck. */
export const stuckMs = 60_000;

/** The outcome of an order: `refused` says why nothing was done. */
export type Ordered = { readonly done: string } | { readonly refused: string; readonly isUnknown?: true };

export const unknown: Ordered = { refused: "there is no such run", isUnknown: true };

/** Ends a run. What it has begun may still come to its end, but nothing of that is stored. */
export async function cancelRun(runs: RunStore, id: string): Promise<Ordered> {
  const state = await runs.cancel(id);
  if (state === "unknown") return unknown;
  return state === "cancelled" ? { done: "cancelled" } : { refused: "the run is over" };
}

/** The data that stands in for the request of a callback. */
export interface Answer {
  /** The action that waits; the only one that does when absent. */
  readonly action?: string | undefined;
  readonly body: Json;
  /** Unix milliseconds. */
  readonly receivedAt: number;
}

/** Goes on with a run that waits for a callback, as if the callback had come with this body. */
export async function resumeRun(runs: RunStore, id: string, { action, body, receivedAt }: Answer): Promise<Ordered> {
  const run = await runs.show(id);
  if (run === undefined) return unknown;
  // The row of a time, which a wait has beside its token, is for nobody to send something to.
  const tokens = run.waits.filter(({ state, path }) => state === "open" && isOfToken(path));
  const open = tokens.map(({ path, tokenHash }) => ({ path: actionOfToken(path), tokenHash }));
  const fitting = action === undefined ? open : open.filter(({ path }) => path === action);
  const [wait] = fitting;
  if (wait === undefined) return { refused: open.length === 0 ? "the run waits for no callback" : `${among(open)} wait, not ${action}` };
  if (fitting.length > 1) return { refused: `several actions wait: name one of ${among(open)}` };
  const payload = JSON.stringify({ body, headers: {}, received_at: new Date(receivedAt).toISOString() });
  const { state } = await runs.resume(wait.tokenHash, payload);
  if (state === "resumed") return { done: "resumed" };
  return { refused: state === "already" ? "the callback has come already" : "the run waits for no callback" };
}

const among = (waits: readonly { readonly path: string }[]): string => waits.map(({ path }) => path).join(", ");

/** The paths of the actions of a run that are settled, in order. */
export const settledActions = ({ settled }: Pick<RunDetails, "settled">): string[] => settled.filter((path) => !isOfToken(path));

/** The waits of a run, by action: the rows of tokens are not shown, because each wait has one of its time. */
export const shownWaits = ({ waits }: Pick<RunDetails, "waits">): RunDetails["waits"] => waits.filter(({ path }) => !isOfToken(path));

/** A run as people and the admin API see it: times in ISO 8601, and nothing of its tokens. */
export function runJson(run: Omit<RunDetails, "settled" | "waits" | "result"> & Partial<RunDetails>, now: number): JsonObject {
  const { id, config, interface: target, bundle, plan, status, epoch, node, due, created, ended, settled, waits, result } = run;
  const time = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
  return {
    ...{ id, config, interface: target, bundle, plan, status, epoch, node, created: time(created), due: time(due), ended: time(ended) },
    stuck: due !== null && due < now - stuckMs,
    ...(settled === undefined ? {} : { settled: settledActions({ settled }) }),
    ...(waits === undefined
      ? {}
      : { waits: shownWaits({ waits }).map(({ path, until, state }) => ({ action: path, until: time(until), state })) }),
    ...(result === undefined ? {} : { result: resultOf(result) }),
  };
}

/** A result is a text of JSON; any other text stays as it is. */
function resultOf(result: string | null): Json {
  if (result === null) return null;
  try {
    return JSON.parse(result) as Json;
  } catch {
    return result;
  }
}
