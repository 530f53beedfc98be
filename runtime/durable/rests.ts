import type { RestingAct } from "../run/journal.ts";
import type { SteppingRun } from "./steps.ts";

/**
 * A wait of an action that has nothing under way: where the process is about to end, the run may leave. It may not go on once the run is
 * leaving, since the action begins anew elsewhere. Rejects when the action is cancelled.
 */
export async function rests(run: SteppingRun, act: RestingAct, wait: Promise<void>): Promise<void> {
  const { signal } = act;
  const admitted = async (): Promise<void> => {
    await wait;
    for (;;) {
      const { promise, resolve } = Promise.withResolvers<void>();
      signal.throwIfAborted();
      if (!run.holds({ goOn: resolve })) return;
      signal.addEventListener("abort", () => resolve(), { once: true });
      await promise;
    }
  };
  await run.activity.rests(act, admitted());
}
