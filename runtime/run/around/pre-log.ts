import type { Act, Attempt } from "../run.ts";

/** Writes the lines of `pre_log` before each attempt (spec/language 3.8). */
export const preLog =
  (log: (act: Act) => void, attempt: Attempt): Attempt =>
  (act) => {
    log(act);
    return attempt(act);
  };
