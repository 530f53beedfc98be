import type { Act, Condition } from "./run.ts";
import { failedTests } from "./steps/check.ts";
import type { TestResult } from "./verdict.ts";

/** The decision of the gates of an action (spec/language 3.4). */
export type Decision =
  | "wait"
  | "run"
  /** The run has been answered: the action is neither started nor reported. */
  | "skip"
  | { readonly state: "skipped"; readonly errors?: readonly string[]; readonly dropped?: true }
  | { readonly state: "failed"; readonly error: string; readonly code: number | undefined }
  /** The guard could not be evaluated. */
  | { readonly state: "failed"; readonly failure: unknown };

/**
 * Decides whether an action may start. The first gate that does not pass decides. A gate that cannot pass is judged once all its actions
 * have settled, so that the outcome never depends on timing. Without a gate list the action waits for every earlier action
 * (spec/language 3.4): `isNext` is true when all of them have settled.
 */
export function decide(act: Act, isNext: boolean): Decision | Promise<Exclude<Decision, "wait">> {
  const { run_when_succeeded, run_when_failed, depends_on, run_on_assertion, reads, skips_with } = act.spec;
  if (skips_with !== undefined) {
    if (!skips_with.every((a) => a.settled)) return "wait";
    if (skips_with.some((a) => a.dropped)) return { state: "skipped", dropped: true };
  }
  if (!isNext && run_when_succeeded === undefined && run_when_failed === undefined && depends_on === undefined) return "wait";
  if (run_when_succeeded !== undefined) {
    const gate = condition(run_when_succeeded);
    const passed = quorum(gate, (a) => a.state === "succeeded");
    if (passed === "wait") return "wait";
    if (!passed) return gateFailure(gate);
  }
  if (run_when_failed !== undefined) {
    const passed = quorum(condition(run_when_failed), (a) => a.state === "failed");
    if (passed === "wait") return "wait";
    if (!passed) return { state: "skipped" };
  }
  if (depends_on !== undefined && quorum(condition(depends_on), (a) => a.settled) !== true) return "wait";
  if (reads !== undefined && !reads.every((a) => a.settled)) return "wait";
  return run_on_assertion === undefined ? "run" : guard(run_on_assertion, act.spec.guard_message);
}

const condition = (gate: readonly Act[] | Condition): Condition => ("actions" in gate ? gate : { actions: gate });

function quorum(gate: Condition, counts: (act: Act) => boolean): boolean | "wait" {
  const least = gate.at_least ?? gate.actions.length;
  if (gate.actions.filter(counts).length >= least) return true;
  return gate.actions.every((a) => a.settled) ? false : "wait";
}

/**
 * The decision for a gate that cannot pass: the action fails when one of the gate's actions has failed, and is skipped when they were only
 * skipped.
 */
function gateFailure(gate: Condition): Decision {
  const at = gate.actions.findIndex((a) => a.state === "failed");
  const failed = gate.actions[at];
  if (failed === undefined) return { state: "skipped" };
  const succeeded = gate.actions.filter((a) => a.state === "succeeded").length;
  const error =
    gate.at_least !== undefined
      ? `${succeeded} of ${gate.at_least} required actions succeeded`
      : `${gate.previous === true || gate.previous === at ? "previous " : ""}action '${failed.name}' did not succeed`;
  return { state: "failed", error, code: gate.http_code_on_error };
}

/** The gate that has skipped an action, in words for the log. */
export function reasonOfSkip({ spec, dropped, errors }: Act): string {
  const { skips_with = [], run_when_succeeded, run_when_failed } = spec;
  if (dropped) return `nothing is new in ${skips_with.flatMap((a) => (a.dropped ? `'${a.name}'` : [])).join(", ")}`;
  if (errors !== undefined) return `run_on_assertion: ${errors.join("; ") || "a test has failed"}`;
  const succeeded = run_when_succeeded === undefined ? undefined : condition(run_when_succeeded);
  if (succeeded !== undefined && quorum(succeeded, (a) => a.state === "succeeded") !== true)
    return `run_when_succeeded: ${states(succeeded)}`;
  return run_when_failed === undefined ? "its gate has not passed" : `run_when_failed: ${states(condition(run_when_failed))}`;
}

const states = ({ actions }: Condition): string => actions.map(({ name, state }) => `'${name}' ${state}`).join(", ");

type Guard = NonNullable<Act["spec"]["run_on_assertion"]>;
type Message = Act["spec"]["guard_message"];

/** Evaluates a guard. A guard that cannot be evaluated fails its action, since passing or skipping would hide the mistake. */
function guard(tests: Guard, message: Message): Decision | Promise<Exclude<Decision, "wait">> {
  const judge = (results: readonly TestResult[]) => judged(results, message);
  try {
    const results = tests();
    return results instanceof Promise ? results.then(judge).catch((failure: unknown) => ({ state: "failed", failure })) : judge(results);
  } catch (failure) {
    return { state: "failed", failure };
  }
}

/** The message of the guard stands in place of the reasons of its tests (spec/language 6.1). */
function judged(results: readonly TestResult[], message: Message): Exclude<Decision, "wait"> {
  const failed = failedTests(results);
  if (failed.length === 0) return "run";
  const own = message?.() ?? null;
  return { state: "skipped", errors: own === null ? failed.flatMap((result) => result.errors) : [own] };
}
