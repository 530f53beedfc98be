import { isObject, type Json } from "#runtime/json.ts";
import { duration } from "#runtime/lib/duration.ts";
import type { RetryPlan } from "#runtime/plan.ts";
import { entry, get, type Node, plain } from "../1-read/document.ts";
import { flow } from "../diagnostics/codes/names.ts";
import type { Report } from "../diagnostics/diagnostic.ts";

/** `retry` of an action; what the schema did not accept is gone already (language.md 3.6). */
export function planRetry(action: Node, isHttp: boolean, report: Report): RetryPlan | undefined {
  const node = get(action, "retry");
  const written = node === undefined ? undefined : plain(node);
  if (!isObject(written) || typeof written.attempts !== "number") return undefined;
  const inert = isHttp ? undefined : (entry(node, "on") ?? entry(node, "except"));
  if (inert !== undefined) report(flow.retryInert(), inert.keySpan);
  return Object.fromEntries(Object.entries(written).map(([key, value]) => [key, converted(key, value)])) as unknown as RetryPlan; // by the schema
}

/** Durations as milliseconds, matchers as a list. */
function converted(key: string, value: Json): Json {
  if (key === "delay" || key === "max_delay") return typeof value === "string" ? (duration(value) ?? value) : value;
  if (key === "on" || key === "except") return Array.isArray(value) ? value : [value];
  return value;
}
