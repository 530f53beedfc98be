import type { RestingAct } from "../run/journal.ts";
import type { SteppingRun } from "./steps.ts";

/**
 * Waits for an action that has nothing under way: if the process is about to end, the run may leave during this wait. The action may not
 * continue once the run is leaving, since it begins anew elsewhere. Rejects when the action is cancelled.
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
