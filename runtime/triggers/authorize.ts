import type { Run } from "../run/run.ts";
import { beginRun } from "./message-run.ts";

/**
 * Runs an authorizer: it grants by a status of 2xx, and by nothing else. `patience`: the time it has for its answer (spec/surfaces 3 and
 * 6).
 */
export function authorize(run: Run, patience = 5_000): Promise<boolean> {
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
