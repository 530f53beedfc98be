import type { Expr, RetryPlan, StartedPlan } from "#runtime/plan/index.ts";
import { retrySettings } from "#runtime/start/retry.ts";
import { isObject } from "#runtime/value/json.ts";
import { entry, get, type Node, plain } from "../1-read/document.ts";
import { isStarted } from "../2-check/started.ts";
import { flow } from "../diagnostics/codes/flow.ts";
import { values } from "../diagnostics/codes/values.ts";
import { isFewMilliseconds, lower } from "./lower/values.ts";
import type { Lowering } from "./markers/scope.ts";

/**
 * `retry` of an action; parts that the schema refused are already removed (spec/language 3.6). `place` is the name under which the settings
 * are read at the start. `statuses` is true when the action may fail with an HTTP status.
 */
export function planRetry(action: Node, statuses: boolean, place: string, cx: Lowering): RetryPlan | StartedPlan | undefined {
  const node = get(action, "retry");
  if (node === undefined || get(node, "attempts") === undefined) return undefined;
  const inert = statuses ? undefined : (entry(node, "on") ?? entry(node, "except"));
  if (inert !== undefined) cx.report(flow.retryInert(), inert.keySpan);
  if (isStarted(node)) {
    const started = `${place}.retry`;
    const settings = lower(node, { $ref: "#/$defs/Retry" }, cx);
    const hasAll = statuses || settings.op !== "map";
    cx.settings?.push([started, "retry", hasAll ? settings : { ...settings, entries: always(settings.entries, anyFailure) }]);
    return { started };
  }
  for (const key of ["delay", "max_delay"]) {
    const value = get(node, key);
    if (value?.kind === "scalar" && isFewMilliseconds(value.value)) cx.report(values.fewMilliseconds(key, value.value), value.span);
  }
  const settings = plain(node);
  if (!isObject(settings) || typeof settings.attempts !== "number") return undefined;
  return retrySettings(statuses ? settings : Object.fromEntries(always(Object.entries(settings), ["any"])));
}

/** The settings of an action without statuses: it is retried after every failure, and `on` and `except` are ignored. */
const always = <K, V>(entries: readonly (readonly [K, V])[], on: V): (readonly [K | "on", V])[] => [
  ...entries.filter(([key]) => key !== "on" && key !== "except"),
  ["on", on],
];

const anyFailure: Expr = { op: "list", items: [{ op: "lit", value: "any" }] };
