import type { Caller } from "../network/gate.ts";
import type { Run } from "../run/run.ts";
import { denialOf } from "./denial.ts";
import { beginRun } from "./message-run.ts";

/**
 * Runs an authorizer: only a status of 2xx grants access. Its network policy is checked first, and may refuse without a run. `patience` is
 * the milliseconds within which it must answer (spec/surfaces 3 and 6).
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
