import type { JsonSchema } from "#runtime/features/feature.ts";
import type { Expr, LookupPlan, Op } from "#runtime/plan/index.ts";
import { type Entry, entriesOf, entry, flag, get, isNull, type Node, numberOf, scalarText } from "../1-read/document.ts";
import { hasMarker } from "../1-read/markers/markers.ts";
import { isStarted } from "../2-check/started.ts";
import type { ResolvedAction } from "../3-resolve/resolved.ts";
import { sources } from "../diagnostics/codes/actions.ts";
import { shape } from "../diagnostics/codes/file.ts";
import { flow } from "../diagnostics/codes/flow.ts";
import { marker as codes } from "../diagnostics/codes/marker.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { markerFor } from "../other-tools/forms.ts";
import { present } from "../present.ts";
import type { ActionSurroundings } from "./action.ts";
import { rootMembers } from "./inference/root-members.ts";
import { checkWrapped } from "./inference/wrapped-items.ts";
import { lowerFilter } from "./lower/filter.ts";
import { mapOf } from "./lower/fold.ts";
import { lower } from "./lower/values.ts";
import { type Lowering, visible } from "./markers/scope.ts";

const deepest = 5;

const milliseconds: JsonSchema = { type: ["string", "number"], format: "duration" };

/** A loop: `lookup` and `actions` together (spec/language 4). The nested list is a scope inside that of the loop. */
export function planLookup({ name, node, actions, span }: ResolvedAction, around: ActionSurroundings, cx: Lowering): Op[] {
  const over = entry(node, "lookup");
  const list = entry(node, "actions");
  if (over === undefined || list === undefined) {
    // A mistaken half was reported, and may hold the other one.
    if (entryOfNull(over ?? list)) return [];
    cx.report(flow.lookup(over === undefined ? "lookup" : "actions"), (over ?? list)?.keySpan ?? span);
    return [];
  }
  // A value of `actions` that is no list was reported.
  if (actions === undefined) return [];
  if (around.depth >= deepest) {
    cx.report(flow.lookupDepth(), over.keySpan);
    return [];
  }
  const body = around.list(
    actions,
    over.keySpan,
    { ...around, place: `${around.place}.${name}`, depth: around.depth + 1, stream: undefined },
    inner(actions, cx),
  );
  const of = lower(over.value, {}, cx, { field: "lookup", required: false });
  checkList(over, of, cx.report);
  if (body !== undefined) checkWrapped(node, of, body, cx);
  return body === undefined
    ? []
    : [{ op: "lookup", over: of, options: options(node, `${around.place}.${name}`, cx), body, at: over.keySpan }];
}

const entryOfNull = (half: Entry | undefined): boolean => half !== undefined && isNull(half.value);

/** Warns of keys of a loop in an action without a loop, where they have no effect. */
export function withoutLookup(node: Node, report: Report): void {
  if (entry(node, "lookup") !== undefined || entry(node, "actions") !== undefined) return;
  for (const { key, keySpan } of entriesOf(node))
    if (key.startsWith("lookup_") || key === "item_timeout") report(shape.noEffect(key), keySpan);
}

/** Reports a text in the place of the list: it stays a text with any values of its markers. */
function checkList({ value }: Entry, of: Expr, report: Report): void {
  const isText = of.op === "text" || of.op === "join" || (of.op === "lit" && typeof of.value === "string");
  if (!isText) return;
  const marker = markerFor(scalarText(value) ?? "") ?? "a|Items|";
  report(sources.canOnlyFail("lookup", `a text is no list, and a marker alone names one: ${marker}`), value.span);
}

/** The scope of the nested list: names are looked up in it, then in the lists around it. */
function inner(actions: readonly ResolvedAction[], cx: Lowering): Lowering {
  for (const { name, span } of actions) {
    const hidden = visible(name, cx.scope);
    const isLoop = name === cx.scope.self;
    if (hidden !== undefined && !isLoop && !hidden.scope.later.has(name)) cx.report(flow.shadowed(name), span);
  }
  const nodes = new Map(actions.map(({ name, node }) => [name, node]));
  const own = { actions: new Set(nodes.keys()), nodes, outer: cx.scope, self: undefined, selfIsData: false };
  return { ...cx, scope: { ...cx.scope, ...own, previous: undefined, later: new Set() } };
}

function options(node: Node, place: string, cx: Lowering): LookupPlan {
  const concurrency = planConcurrency(get(node, "lookup_concurrency"), place, cx);
  const inherit = get(node, "lookup_inherit");
  const filters = entriesOf(get(node, "lookup_inherit_jq"));
  const limit = get(node, "item_timeout");
  return {
    ...(flag(node, "lookup_partition") ? { partition: true } : {}),
    ...present({ concurrency }),
    ...(inherit === undefined ? {} : { inherit: lower(inherit, { type: "object" }, cx) }),
    ...(filters.length === 0 ? {} : { inherit_jq: mapOf(filters.map((each) => [each.key, filtered(each, cx)])) }),
    ...(limit === undefined ? {} : { item_timeout: lower(limit, milliseconds, cx, { field: "item_timeout", required: false }) }),
  };
}

function planConcurrency(node: Node | undefined, place: string, cx: Lowering): LookupPlan["concurrency"] {
  if (node === undefined || !isStarted(node)) return numberOf(node);
  const started = `${place}.lookup_concurrency`;
  const schema = cx.definitions.Action?.properties?.lookup_concurrency ?? {};
  cx.settings?.push([started, "value", lower(node, schema, cx, { field: "lookup_concurrency", required: false })]);
  return { started };
}

/**
 * A filter over `{ActionName: data}` of the actions around the loop that have settled. The loop waits for the actions that the filter
 * names, as it does for the markers of `lookup_inherit`.
 */
function filtered({ key, keySpan, value }: Entry, cx: Lowering): Expr {
  if (value.kind !== "scalar") return { op: "lit", value: null };
  if (hasMarker(key)) cx.report(codes.inKey("lookup_inherit_jq"), keySpan);
  const label = `lookup_inherit_jq.${key}`;
  const lowered = lowerFilter(value, cx);
  const { filter } = lowered;
  for (const name of filter.op === "lit" ? rootMembers(String(filter.value)) : []) {
    const isOther = cx.scope.actions.has(name) && name !== cx.scope.self;
    if (isOther && !cx.scope.reads.has(name)) cx.scope.reads.set(name, value.span);
  }
  return { op: "jq", ...lowered, of: { op: "root", root: "settled" }, label, waits: true, at: value.span };
}
