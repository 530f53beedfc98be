import type { ServerResponse } from "node:http";
import type { Run } from "../../run.ts";
import { refusals, refuse } from "./refusal.ts";

/** Longest wait of a timer; a longer one would fire at once. */
const longestWait = 2_147_483_647;

/**
 * Waits for a run and calls `done`, unless the client went away or the time of a run was up before: both cancel the run, and the second is
 * answered by 504. Resolves when the run has ended in any case.
 */
export async function waitFor(run: Run, response: ServerResponse, done: () => void): Promise<void> {
  let open = true;
  const end = (): void => {
    open = false;
    clearTimeout(timer);
  };
  const expire = (): void => {
    end();
    run.cancel("run timed out");
    refuse(response, refusals.timeout, run.id);
  };
  const timer = setTimeout(expire, Math.min(run.host.limits.runTimeoutMs, longestWait));
  response.once("close", () => {
    if (!open) return;
    end();
    run.cancel("client went away");
  });
  await run.finish();
  if (!open) return;
  end();
  done();
}
