import { type Failure, failureCodes } from "../../value/failure.ts";
import { reasonOfSkip } from "../gates.ts";
import type { Act, Run } from "../run.ts";

// The log at the level `debug`: how each run came to its answer. Callers check `host.debug` first, so that no record is made at other
// levels.

export function runBegins({ host, input, interface: target, place }: Run): void {
  const { trigger, method } = input;
  // The route is logged as the configuration has it, because the path of the request may hold a hidden parameter.
  const request = method === null ? {} : { method, ...(target.http === undefined ? {} : { route: target.http.route }) };
  host.log("debug", "run begins", { ...place, trigger, ...request });
}

export function runEnds({ host, place, began }: Run, status: number): void {
  host.log("debug", "run ended", { ...place, http_code: status, ms: Math.round(host.monotonic() - began) });
}

/** Logs how an action has settled, and why it did not run. */
export function actionSettles(act: Act): void {
  const { run, place, state, ran, ms } = act;
  run.host.log(
    "debug",
    ran ? (act.dropped ? "skipped: nothing is new" : state) : `not run: ${reasonOf(act)}`,
    ran ? { ...place, ms } : place,
  );
}

function reasonOf(act: Act): string {
  if (act.state === "failed") return act.error ?? "its gate could not be evaluated";
  if (act.cancelled) return act.run.short === undefined ? "the run was cancelled" : "the run has been answered";
  return reasonOfSkip(act);
}

export function attemptFails(act: Act, failure: Failure, tries: number, attempts: number, wait: number): void {
  const reason = `${failureCodes[failure.kind]} ${failure.message}`;
  act.run.host.log("debug", `attempt ${tries} of ${attempts} failed: ${reason}`, { ...act.place, retry_in_ms: wait });
}
