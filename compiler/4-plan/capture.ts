import type { CapturePlan } from "#runtime/plan.ts";
import { get, type Node, numberOf, textOf } from "../1-read/document.ts";

/** `capture` of an interface, a word or a record (language.md 7.8); undefined where nothing is recorded. */
export function planCapture(node: Node | undefined): CapturePlan | undefined {
  const mode = textOf(node) ?? textOf(get(node, "mode"));
  if (mode !== "errors" && mode !== "all") return undefined;
  const for_minutes = numberOf(get(node, "for_minutes"));
  const for_runs = numberOf(get(node, "for_runs"));
  return { mode, ...(for_minutes === undefined ? {} : { for_minutes }), ...(for_runs === undefined ? {} : { for_runs }) };
}
