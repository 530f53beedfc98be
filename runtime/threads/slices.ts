import { setImmediate } from "node:timers/promises";
import type { Host } from "../process/host.ts";

/** Long work, which says now and then that others may have a turn: at least every few milliseconds. */
export type Work<R> = Generator<undefined, R>;

/** Milliseconds after which others get a turn. */
const sliceMs = 20;

/** For whom work is done: the action, whose end is that of the work. */
export interface Worked {
  readonly run: { readonly host: Pick<Host, "monotonic"> };
  readonly signal: AbortSignal;
}

/** Does the work in slices, between which the process serves others: it takes as long, and holds nobody up. */
export async function inSlices<R>(work: Work<R>, act: Worked): Promise<R> {
  const { monotonic } = act.run.host;
  let until = monotonic() + sliceMs;
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
    if (monotonic() < until) continue;
    await setImmediate();
    act.signal.throwIfAborted();
    until = monotonic() + sliceMs;
  }
}

/** Does the work at once, where nothing can wait. */
export function atOnce<R>(work: Work<R>): R {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}
