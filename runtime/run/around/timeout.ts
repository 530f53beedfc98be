import { longestWait } from "../../value/duration.ts";
import { timedOut } from "../../value/failure.ts";
import type { Act, Attempt } from "../run.ts";

/** Ends an action that takes longer: all its attempts, waits and loops (spec/language 3.7). Calls under way are aborted. */
export const timeout =
  (limit: number | ((act: Act) => number | null)) =>
  (attempt: Attempt): Attempt =>
  async (act) => {
    const ms = typeof limit === "number" ? limit : limit(act);
    if (ms === null) return attempt(act);
    act.run.journal?.limit(act, ms);
    const { promise: expired, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => {
        const failure = timedOut(ms);
        reject(failure);
        act.abort(failure);
      },
      Math.min(ms, longestWait),
    );
    try {
      return await Promise.race([expired, attempt(act)]);
    } finally {
      clearTimeout(timer);
    }
  };
