import type { Caller } from "../network/gate.ts";
import type { Run } from "../run/run.ts";
import { denialOf } from "./denial.ts";
import { beginRun } from "./message-run.ts";

/**
 * Runs an authorizer: it grants by a status of 2xx, and by nothing else. Its network policy is decided first, and refuses without a run.
 * `patience`: the time it has for its answer (spec/surfaces 3 and 6).
 */
export function authorize(run: Run, caller: Caller, patience = 5_000): Promise<boolean> {
  if (denialOf(run, caller, run.host) !== undefined) return Promise.resolve(false);
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      run.cancel("authorizer timed out");
      resolve(false);
    }, patience);
    beginRun(run, ({ status }) => {
      clearTimeout(timer);
      resolve(status >= 200 && status <= 299);
    });
  });
}
