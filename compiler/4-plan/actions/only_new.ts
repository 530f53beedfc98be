import { actions, transforms } from "#generated/features.ts";
import type { ActionPlan, Expr, Op } from "#runtime/plan/index.ts";
import { isObject } from "#runtime/value/json.ts";
import { entriesOf, entry, get, items, type Node, type ScalarNode, textOf } from "../../1-read/document.ts";
import { transforms as codes } from "../../diagnostics/codes/transforms.ts";
import { recordOf } from "../../records.ts";
import { lowerFilter } from "../lower/filter.ts";
import { mapOf } from "../lower/fold.ts";
import { lower } from "../lower/values.ts";
import type { Lowering } from "../markers/scope.ts";

/** `only_new`: the last step of an attempt (spec/transforms 8). `before` holds the steps that make the data. */
export function planOnlyNew(node: Node, before: readonly Op[], cx: Lowering): Op[] {
  const option = entry(node, "only_new");
  if (option === undefined || option.value.kind !== "map") return [];
  const { keySpan: at, value } = option;
  if (isWholeResponse(node)) cx.report(codes.wholeResponse(), at);
  const id = get(value, "id");
  const identity = id?.kind === "scalar" ? identityOf(id, cx) : [];
  const rest: Node = { ...value, entries: value.entries.filter(({ key }) => key !== "id") };
  const settings = lower(rest, actions.only_new.schema, cx, { field: "only_new", required: true });
  const fields = settings.op === "map" ? settings.entries : literalEntries(settings);
  const args = mapOf([["records", { op: "data" }], ...identity, ...fields]);
  const start: Op[] = before.length === 0 ? [{ op: "take", from: { op: "lit", value: null }, at }] : [];
  return [...start, { op: "call", use: "only_new", args, at }];
}

/** The expression of the identities: the names of members, or the outputs of a filter on each record, as a list. */
function identityOf(id: ScalarNode, cx: Lowering): Entries {
  const path = memberPath(textOf(id));
  if (path !== undefined) return [["id", { op: "lit", value: path }]];
  const { filter, ...rest } = lowerFilter(id, cx);
  const [start, end] = ['(if type == "array" then . else [.] end) | [.[] | [\n', "\n]]"];
  const identity: Expr =
    filter.op === "lit"
      ? { op: "lit", value: `${start}${String(filter.value)}${end}` }
      : { op: "text", parts: [start, { fill: "raw", of: filter }, end] };
  return [["identities", { op: "jq", filter: identity, ...rest, of: { op: "data" }, label: "only_new", waits: true, at: id.span }]];
}

/** The keys of a jq filter such as `.id` or `.user.id`, which needs no jq at run time. */
const memberPath = (program: string | undefined): string[] | undefined =>
  program !== undefined && /^\s*(?:\.[A-Za-z_][A-Za-z0-9_]*)+\s*$/.test(program) ? program.trim().slice(1).split(".") : undefined;

/** True for data of `http` of which no transform has taken a part (PW516). */
function isWholeResponse(node: Node): boolean {
  if (get(node, "http") === undefined) return false;
  const names = items(get(node, "post_transforms")).flatMap((item) => entriesOf(item).map(({ key }) => key));
  return !names.some((name) => Object.hasOwn(transforms, name) && recordOf("transforms", name).extracts === true);
}

type Entries = Extract<Expr, { op: "map" }>["entries"];

const literalEntries = (e: Expr): Entries =>
  e.op === "lit" && isObject(e.value) ? Object.entries(e.value).map(([key, value]) => [key, { op: "lit", value }] as const) : [];

/** True when the action may be skipped because nothing is new. */
export const mayBeDropped = ({ ops }: ActionPlan): boolean =>
  ops.some((op) => op.op === "call" && op.use === "only_new" && !isKept(op.args));

const isKept = (args: Expr): boolean =>
  args.op === "map" && args.entries.some(([key, value]) => key === "skip_when_empty" && value.op === "lit" && value.value === false);
