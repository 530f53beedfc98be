import type { RetryPlan, StartedPlan } from "#runtime/plan/index.ts";
import { retrySettings } from "#runtime/start/retry.ts";
import { isObject } from "#runtime/value/json.ts";
import { entry, get, type Node, plain } from "../1-read/document.ts";
import { isStarted } from "../2-check/started.ts";
import { flow } from "../diagnostics/codes/flow.ts";
import { lower } from "./lower/values.ts";
import type { Lowering } from "./markers/scope.ts";

/**
 * `retry` of an action; what the schema did not accept is gone already (spec/language 3.6). `place` is the name under which it is read at
 * the start; `statuses` says that the action fails by statuses of HTTP.
 */
export function planRetry(action: Node, statuses: boolean, place: string, cx: Lowering): RetryPlan | StartedPlan | undefined {
  const node = get(action, "retry");
  if (node === undefined || get(node, "attempts") === undefined) return undefined;
  const inert = statuses ? undefined : (entry(node, "on") ?? entry(node, "except"));
  if (inert !== undefined) cx.report(flow.retryInert(), inert.keySpan);
  if (isStarted(node)) {
    const started = `${place}.retry`;
    cx.settings?.push([started, "retry", lower(node, { $ref: "#/$defs/Retry" }, cx)]);
    return { started };
  }
  const settings = plain(node);
  return isObject(settings) && typeof settings.attempts === "number" ? retrySettings(settings) : undefined;
}
