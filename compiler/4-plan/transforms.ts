import { matchers, transforms } from "#generated/features.ts";
import type { JsonSchema } from "#runtime/features/feature.ts";
import { isDigits } from "#runtime/paths/nodes.ts";
import { nodePath, valuePath } from "#runtime/paths/path.ts";
import type { Expr, NestedPlan, Span, TestPlan, TransformOp } from "#runtime/plan/index.ts";
import { type Entry, entriesOf, get, items, type Node } from "../1-read/document.ts";
import { transforms as codes } from "../diagnostics/codes/transforms.ts";
import { watching } from "../diagnostics/watching.ts";
import { checkArguments } from "./arguments.ts";
import { planTest } from "./assert.ts";
import { given, givenInList } from "./given.ts";
import { pathSample } from "./inference/stand-ins.ts";
import { lowerText } from "./lower/contexts.ts";
import { pathExpr } from "./lower/paths.ts";
import { keyScalar } from "./lower/scalar.ts";
import { lower } from "./lower/values.ts";
import type { Lowering } from "./markers/scope.ts";
import { checkStage } from "./stage.ts";

/**
 * Lowers `post_transforms`: one op for each entry. Markers in conditions and nested lists are evaluated once for each op. A marker sees the
 * data of its own action as they were before the first transform (PW515).
 */
export function planTransforms(node: Node, cx: Lowering): TransformOp[] {
  const ownReads: Span[] = [];
  const inside: Lowering = { ...cx, scope: { ...cx.scope, ownReads } };
  const ops = items(get(node, "post_transforms")).flatMap((item) => planEntry(item, inside).map(withGiven));
  for (const span of ownReads) cx.report(codes.ownAction(cx.scope.self ?? ""), span);
  return ops;
}

/** Plans one entry. An entry that phase 2 has reported gives no op. */
function planEntry(item: Node, cx: Lowering): TransformOp[] {
  const [only] = entriesOf(item);
  if (only === undefined) return [];
  if (only.key === "filter") return [planFilter(only, cx)];
  if (only.key === "nested_transforms") return [planNested(only, cx)];
  if (!Object.hasOwn(transforms, only.key)) return [];
  // Own keys of the table were checked on the line above.
  const feature = transforms[only.key as keyof typeof transforms];
  const { report, hasErrors } = watching(cx.report);
  const args = lower(only.value, feature.schema, { ...cx, report }, { field: only.key, required: true });
  const op = { op: "transform", use: only.key, at: only.keySpan } as const;
  // Nothing is known of arguments with a mistake: what is left of them may be no text where the schema wants one.
  if (hasErrors()) return [{ ...op, args: { op: "reread", of: args } }];
  checkArguments(feature, args, only.value, cx.report);
  return [{ ...op, args }];
}

function withGiven(op: TransformOp): TransformOp {
  switch (op.op) {
    case "transform":
      return op;
    case "filter":
      return given(op);
    case "nest":
      return { ...op, lists: op.lists.map(givenInList) };
  }
}

const root: Expr = { op: "lit", value: "" };
const pathSchema: JsonSchema = { type: "string", context: "path" };

/** Checks the written part of a path. A path that is a marker is parsed at run time. */
function checkPath<P>(path: Expr, prepare: (text: string | null) => P, { span }: Pick<Node, "span">, { report }: Lowering): P | undefined {
  const sample = pathSample(path);
  return sample === undefined ? undefined : checkStage({ prepare }, sample, span, report);
}

/** `filter`: the elements of `target` that pass every condition (spec/transforms 4). */
function planFilter({ keySpan, value }: Entry, cx: Lowering): TransformOp {
  const pathNode = get(value, "target");
  const target = pathNode === undefined ? root : lower(pathNode, pathSchema, cx);
  checkPath(target, nodePath, pathNode ?? value, cx);
  const tests = entriesOf(get(value, "conditions")).map((condition) => planCondition(condition, cx));
  // An unset marker leaves the field absent (spec/language 2.7).
  return { op: "filter", target: pathSample(target) === undefined ? { op: "or", of: target, instead: root } : target, tests, at: keySpan };
}

/** Options of a test for its failure. They have no effect here, because a failure only leaves an element out. */
const idle: readonly string[] = ["error_message", "success_message", "http_code_on_error", "hide_errors", "result_key"];

/** Plans a condition. A value without matchers means that the member must be equal to it. */
function planCondition(condition: Entry, cx: Lowering): TestPlan {
  const { key, keySpan, value } = condition;
  const entries = value.kind === "map" ? value.entries : [{ key: "is_equal_to", keySpan, value }];
  return planTest({ kind: "map", span: value.span, entries }, { of: leaf(condition, cx), label: key, matchers, idle }, cx);
}

/** The value in the element that the key of a condition names. */
function leaf(condition: Entry, cx: Lowering): Expr {
  const { key, keySpan } = condition;
  const item: Expr = { op: "item" };
  const pathText = lowerText(keyScalar(condition), "path", cx, key);
  const path = checkPath(pathText, valuePath, { span: keySpan }, cx);
  if (pathText.op !== "lit")
    return { op: "filter", use: "leaf", of: item, args: [{ op: "filter", use: "leaf_path", of: pathText, args: [] }] };
  if (path === undefined) return item;
  // A read treats digits as an index, but in a `$` path they are a name.
  const isNamed = path.rooted && path.steps.some((step) => typeof step === "string" && isDigits(step));
  return isNamed ? { op: "filter", use: "leaf", of: item, args: [pathText] } : pathExpr(item, { steps: path.steps, count: false });
}

/** `nested_transforms`: a list of transforms for the values that each path matches. */
function planNested({ keySpan, value }: Entry, cx: Lowering): TransformOp {
  const lists = entriesOf(value).map((member): NestedPlan => {
    const target = lowerText(keyScalar(member), "path", cx, member.key);
    checkPath(target, nodePath, { span: member.keySpan }, cx);
    return { target, body: items(member.value).flatMap((item) => planEntry(item, cx)), at: member.keySpan };
  });
  return { op: "nest", lists, at: keySpan };
}
