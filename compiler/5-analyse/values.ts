import type { Expr } from "#runtime/plan/index.ts";

/**
 * A map of which a member waits for jq waits itself. Where a filter alone waits was decided when it was lowered, by the field that holds
 * it.
 */
export function waitingValue(e: Expr): Expr {
  if (e.op !== "map") return e;
  const entries = e.entries.map(([key, value]) => [key, waitingValue(value)] as const);
  return entries.some(([, value]) => "waits" in value) ? { ...e, entries, waits: true } : e;
}
