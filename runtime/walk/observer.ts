import type { ActionPlan, Expr, InterfacePlan, TestPlan } from "../plan/index.ts";
import type { Host, Resource } from "../process/host.ts";
import type { Act, Run } from "../run/run.ts";
import type { TestResult } from "../run/verdict.ts";

/** Notes what walks do, by the parts of their plans, for the coverage of tests. A process that serves has none. */
export interface Observer {
  readonly begins: (plan: InterfacePlan, cx: Run) => void;
  /** An action was declared; `act` will hold its outcome. */
  readonly act: (plan: ActionPlan, act: Act) => void;
  readonly test: (plan: TestPlan, passed: boolean) => void;
  /** Notes an expression with a fallback, and whether the fallback was used. */
  readonly fallback: (plan: Expr, isTaken: boolean) => void;
}

/** The observer of a host, in the form of a resource. */
export interface Observed extends Resource {
  readonly observer: Observer | undefined;
}

const nobody: Observed = { observer: undefined, close: () => undefined };

export const observerOf = (host: Host): Observer | undefined => host.resource<Observed>("observer", () => nobody).observer;

/** Tells an observer of a result, and gives it back. */
export function heard(result: TestResult, plan: TestPlan, observer: Observer | undefined): TestResult {
  observer?.test(plan, result === null || !("errors" in result));
  return result;
}
