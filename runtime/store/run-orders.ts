import type { Json, JsonObject } from "../value/json.ts";
import { actionOfPath, isOfStep, isOfToken, questionPath, shownPath, waitOfQuestion, waitOfToken } from "./run-paths.ts";
import type { OpenWait, RunDetails, RunStore } from "./runs.ts";

// An operator's orders for durable runs, from the command or the admin API.

/** Milliseconds after which a due run that no node continues counts as stuck. */
export const stuckMs = 60_000;

/** The outcome of an order; `refused` gives the reason why nothing was done. */
export type Ordered = { readonly done: string } | { readonly refused: string; readonly isUnknown?: true };

export const unknown: Ordered = { refused: "there is no such run", isUnknown: true };

/** Cancels a run. Its actions under way may still finish, but the store takes no result of them. */
export async function cancelRun(runs: RunStore, id: string): Promise<Ordered> {
  const state = await runs.cancel(id);
  if (state === "unknown") return unknown;
  return state === "cancelled" ? { done: "cancelled" } : { refused: "the run is over" };
}

/** Data that take the place of a callback's request. */
export interface Answer {
  /** The action that waits, or the part of it that waits, as `shownWaits` names it. It may be absent when only one waits. */
  readonly action?: string | undefined;
  readonly body: Json;
  /** Unix milliseconds. */
  readonly receivedAt: number;
}

/** Continues a run that waits for a callback, as if the callback had arrived with this body. */
export async function resumeRun(runs: RunStore, id: string, { action, body, receivedAt }: Answer): Promise<Ordered> {
  const run = await runs.show(id);
  if (run === undefined) return unknown;
  // Beside its token, a wait has a row of its time, which takes no payload.
  const tokens = run.waits.filter(({ state, path }) => state === "open" && isOfToken(path));
  const open = tokens.map(({ path, tokenHash }) => ({ path: waitOfToken(path), tokenHash }));
  const fitting = action === undefined ? open : open.filter(({ path }) => shownPath(path) === action || actionOfPath(path) === action);
  const [wait] = fitting;
  if (wait === undefined) return { refused: open.length === 0 ? "the run waits for no callback" : `${among(open)} wait, not ${action}` };
  if (fitting.length > 1) return { refused: `several actions wait: name one of ${among(open)}` };
  const payload = JSON.stringify({ body, headers: {}, received_at: new Date(receivedAt).toISOString() });
  const { state } = await runs.resume(wait.tokenHash, payload);
  if (state === "resumed") return { done: "resumed" };
  return { refused: state === "already" ? "the callback has come already" : "the run waits for no callback" };
}

const among = (waits: readonly { readonly path: string }[]): string => waits.map(({ path }) => shownPath(path)).join(", ");

/** The paths of the actions of a run that are settled, in order. */
export const settledActions = ({ settled }: Pick<RunDetails, "settled">): string[] =>
  settled.filter((path) => !isOfToken(path) && !isOfStep(path));

/** A wait as operators see it. */
export interface ShownWait {
  /** The action, with the name of its waiting part where it may have several. */
  readonly action: string;
  readonly until: number;
  readonly state: OpenWait["state"];
  /** The question that the action asks, where it is known. */
  readonly question?: Json;
}

/** The waits of a run, by action. Rows of tokens are not shown, because each wait also has a row of its time. */
export const shownWaits = ({ waits, questions }: Pick<ShownRun, "waits" | "questions">): readonly ShownWait[] =>
  waits
    .filter(({ path }) => !isOfToken(path))
    .map(({ path, until, state }) => {
      const question = questions?.get(path);
      return { action: shownPath(path), until, state, ...(question === undefined ? {} : { question }) };
    });

/** A run with the questions that its steps ask, by the paths of their waits. */
export interface ShownRun extends RunDetails {
  readonly questions?: ReadonlyMap<string, Json>;
}

/** A run as operators see it; undefined when it does not exist. */
export async function shownRun(runs: RunStore, id: string): Promise<ShownRun | undefined> {
  const run = await runs.show(id);
  const asking = new Set(run?.waits.filter(({ path }) => !isOfToken(path) && isOfStep(path)).map(({ path }) => questionPath(path)));
  if (run === undefined || asking.size === 0) return run;
  return { ...run, questions: await questionsOf(runs, id, asking) };
}

/** Reads the questions. A question that is sealed with another key, or written by another program, is not shown. */
async function questionsOf(runs: RunStore, id: string, asking: ReadonlySet<string>): Promise<ReadonlyMap<string, Json>> {
  try {
    const outputs = (await runs.outputs(id)).filter(({ path }) => asking.has(path));
    return new Map(outputs.map(({ path, output }) => [waitOfQuestion(path), JSON.parse(output) as Json]));
  } catch {
    return new Map();
  }
}

/** A run as operators and the admin API see it: times in ISO 8601, and no tokens. */
export function runJson(run: Omit<RunDetails, "settled" | "waits" | "result"> & Partial<ShownRun>, now: number): JsonObject {
  const { id, config, interface: target, bundle, plan, status, epoch, node, due, created, ended, settled, waits, questions, result } = run;
  const time = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
  return {
    ...{ id, config, interface: target, bundle, plan, status, epoch, node, created: time(created), due: time(due), ended: time(ended) },
    stuck: due !== null && due < now - stuckMs,
    ...(settled === undefined ? {} : { settled: settledActions({ settled }) }),
    ...(waits === undefined
      ? {}
      : { waits: shownWaits({ waits, ...(questions && { questions }) }).map((wait) => ({ ...wait, until: time(wait.until) })) }),
    ...(result === undefined ? {} : { result: resultOf(result) }),
  };
}

/** A result is usually JSON; any other text stays as it is. */
function resultOf(result: string | null): Json {
  if (result === null) return null;
  try {
    return JSON.parse(result) as Json;
  } catch {
    return result;
  }
}
