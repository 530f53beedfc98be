import { setImmediate } from "node:timers/promises";
import type { Host } from "../process/host.ts";

/** Long work. It yields at least every few milliseconds, so that the event loop can serve others in between. */
export type Work<R> = Generator<undefined, R>;

/** Milliseconds after which others get a turn. */
export const sliceMs = 20;

/** The action, or the connection, for which work is done: the work ends when its owner does. */
export interface WorkOwner {
  readonly run: { readonly host: Pick<Host, "monotonic"> };
  readonly signal: AbortSignal;
}

/**
 * Does the work in slices, between which the process serves others, so that it blocks nothing and takes about as long. Work of one slice is
 * done at once.
 */
export function inSlices<R>(work: Work<R>, act: WorkOwner): R | Promise<R> {
  // Most work has one step, and needs no clock.
  let step = work.next();
  if (step.done === true) return step.value;
  const { monotonic } = act.run.host;
  for (const until = monotonic() + sliceMs; monotonic() < until; ) {
    step = work.next();
    if (step.done === true) return step.value;
  }
  return rest(work, act);
}

async function rest<R>(work: Work<R>, act: WorkOwner): Promise<R> {
  const turn = turns(act);
  await turn.take();
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
    if (turn.isDue()) await turn.take();
  }
}

/** Tells long work when it is time to give others a turn. */
interface Turns {
  readonly isDue: () => boolean;
  /** Gives others a turn. Throws the reason of the signal when the owner has ended. */
  readonly take: () => Promise<void>;
}

/** Turns for work whose waits may be over at once: awaiting a promise that is already settled gives others no turn. */
export function turns({ run, signal }: WorkOwner): Turns {
  const { monotonic } = run.host;
  let until = monotonic() + sliceMs;
  return {
    isDue: () => monotonic() >= until,
    take: async () => {
      await setImmediate();
      signal.throwIfAborted();
      until = monotonic() + sliceMs;
    },
  };
}

/** Does the work at once, where nothing can wait. */
export function atOnce<R>(work: Work<R>): R {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}
