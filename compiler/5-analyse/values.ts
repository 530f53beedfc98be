import type { Expr } from "#runtime/plan/index.ts";
import { innerOf, withInner } from "../4-plan/markers/inner.ts";

/**
 * Marks a value for which a run has to wait: jq filters wait, at any depth, and so do all values made of their outputs. Other values stay
 * as they are. `start` is evaluated when the process begins, where no data come from outside.
 */
export function waitingValue(e: Expr): Expr {
  if (e.op === "start") return e;
  const marked = withInner(e, waitingValue);
  return e.op === "jq" || innerOf(marked).some(({ waits }) => waits) ? { ...marked, waits: true } : e;
}

/** `waits: true` when one of the values of an op waits. */
export const anyWaits = (...values: readonly (Expr | undefined)[]): { readonly waits?: true } =>
  values.some((value) => value?.waits) ? { waits: true } : {};
