import type { MatcherFacts } from "#runtime/features/facts.ts";
import type { JsonSchema } from "#runtime/features/feature.ts";
import type { AssertPlan, Expr, MarkerPlace, MatcherPlan, TestPlan } from "#runtime/plan/index.ts";
import { entriesOf, flag, get, items, type Node, type ScalarNode, scalarText, textOf } from "../1-read/document.ts";
import { hasMarker } from "../1-read/markers/markers.ts";
import { statusOf } from "../2-check/status.ts";
import { shape } from "../diagnostics/codes/file.ts";
import { names } from "../diagnostics/codes/names.ts";
import { tests as codes } from "../diagnostics/codes/tests.ts";
import type { Finding, Report } from "../diagnostics/diagnostic.ts";
import { nearest } from "../diagnostics/nearest.ts";
import { present } from "../present.ts";
import { checkContradiction } from "./inference/contradiction.ts";
import { checkJwtKey } from "./inference/jwt-key.ts";
import { lowerSelector } from "./lower/contexts.ts";
import { type Expression, lowerExpression } from "./lower/expression.ts";
import { lowerFilter } from "./lower/filter.ts";
import { pathExpr } from "./lower/paths.ts";
import { lowerPointer } from "./lower/pointer.ts";
import { lower, lowerResponseBody } from "./lower/values.ts";
import { checkBare } from "./markers/foreign-forms.ts";
import { readsSecret } from "./markers/mentions.ts";
import { type Lowering, readAction, visible, visibleNames } from "./markers/scope.ts";
import { checkStage, type Stages } from "./stage.ts";
import { splitStructure, type TargetPlace } from "./structure.ts";

/** The value for tests that name no value of their own. */
export interface Base {
  readonly of: Expr;
  /** The name of every test in errors, in place of the name of its target. */
  readonly label?: string;
  /** Keys that have no effect at this place (PW111). */
  readonly idle?: readonly string[];
  readonly matchers: Readonly<Record<string, Stages & MatcherFacts & { readonly schema: JsonSchema }>>;
}

const text: JsonSchema = { type: "string" };

/** Lowers an assert (spec/language 6.1). */
export function planAssert(written: Node, base: Base, cx: Lowering): AssertPlan {
  const node = withoutIdle(written, base, cx.report);
  const http_code_on_error = statusOf(node, "http_code_on_error", cx.report);
  const http_code_on_success = statusOf(node, "http_code_on_success", cx.report);
  return {
    tests: items(get(node, "tests")).map((test) => planTest(test, base, cx)),
    ...message(node, "error_message", cx),
    ...message(node, "success_message", cx),
    ...present({ http_code_on_error, http_code_on_success }),
  };
}

function message<K extends "error_message" | "success_message">(node: Node, key: K, cx: Lowering): { readonly [P in K]?: Expr } {
  const value = get(node, key);
  return (value === undefined ? {} : { [key]: lower(value, text, cx, { field: key, required: false }) }) as { readonly [P in K]?: Expr }; // K is the key itself
}

function withoutIdle(node: Node, { idle = [] }: Base, report: Report): Node {
  const members = entriesOf(node).filter(({ key }) => idle.includes(key));
  for (const { key, keySpan } of members) report(shape.noEffect(key), keySpan);
  return members.length === 0 ? node : { kind: "map", span: node.span, entries: entriesOf(node).filter((one) => !members.includes(one)) };
}

/** Lowers one test. */
export function planTest(written: Node, base: Base, cx: Lowering): TestPlan {
  const node = withoutIdle(written, base, cx.report);
  const uses = entriesOf(node).filter(({ key }) => Object.hasOwn(base.matchers, key));
  const selectors = entriesOf(node).filter(({ key }) => key === "value" || key === "pointer" || key === "jq");
  const [, second] = selectors;
  if (second !== undefined) cx.report(codes.twoSelectors(), second.keySpan);
  const reply = get(node, "http_response");
  if (uses.length === 0 && reply === undefined) cx.report(codes.noMatcher(), node.span);
  const optional = uses.some(({ key, value }) => key === "is_not_null" && value.kind === "scalar" && value.value === false);
  const target = targetOf(node, base, cx);
  const matchers = uses.filter(({ key }) => !(optional && key === "is_not_null"));
  const [authorization] = matchers.filter(({ key }) => key === "is_authorization");
  // `is_authorization` runs first, and the other matchers see what it finds (spec/language 6.4).
  const ordered = authorization === undefined ? matchers : [authorization, ...matchers.filter((one) => one !== authorization)];
  const planned = ordered.map((member) => ({
    ...planMatcher(member.key, member.value, target, base, cx),
    ...(authorization === undefined || member === authorization ? {} : { bare: true as const }),
  }));
  const case_insensitive = flag(node, "case_insensitive");
  if (!case_insensitive) checkContradiction(planned, cx.report);
  const http_code_on_error = statusOf(node, "http_code_on_error", cx.report);
  const resultKey = textOf(get(node, "result_key"));
  const description = scalarText(get(node, "description"));
  return {
    label: base.label ?? labelOf(node),
    target,
    matchers: planned,
    optional,
    case_insensitive,
    ...present({ result_key: resultKey }),
    hide_errors: flag(node, "hide_errors"),
    ...message(node, "error_message", cx),
    ...present({ http_code_on_error }),
    ...(reply === undefined ? {} : { http_response: lowerResponseBody(reply, cx) }),
    ...(description === undefined || hasMarker(description) ? {} : { description }),
    at: node.span,
  };
}

/** The name of a test in messages of errors (spec/language 6.2). */
function labelOf(node: Node): string {
  for (const key of ["name", "value", "jq", "pointer", "action"]) {
    const label = scalarText(get(node, key));
    if (label !== undefined) return label;
  }
  return ["custom_value", "action_value", "expression"].find((key) => get(node, key) !== undefined) ?? "$";
}

/** The first of these keys that is written wins: custom_value, action_value, else base and selector (spec/language 6.2). */
function targetOf(node: Node, base: Base, cx: Lowering): Expr {
  const custom = get(node, "custom_value");
  if (custom !== undefined) {
    const of = lower(custom, { context: "text" }, cx);
    return of.op === "lit" && typeof of.value === "string" ? of : { op: "text", parts: [{ fill: "text", of }] };
  }
  const actionValue = get(node, "action_value");
  if (actionValue !== undefined) return lower(actionValue, {}, cx);
  const from = baseOf(node, base, cx);
  const value = get(node, "value");
  if (value?.kind === "scalar") {
    checkBare(value, cx, true);
    return lowerSelector(value, from, cx);
  }
  const filter = get(node, "jq");
  if (filter?.kind === "scalar") return filtered(filter, from, cx);
  const pointer = get(node, "pointer");
  return pointer?.kind === "scalar" ? lowerPointer(pointer, from, cx) : from;
}

function filtered(node: ScalarNode, of: Expr, cx: Lowering): Expr {
  return { op: "jq", ...lowerFilter(node, cx), of, label: "", waits: true, at: node.span };
}

function baseOf(node: Node, base: Base, cx: Lowering): Expr {
  const action = get(node, "action");
  const name = scalarText(action);
  if (action === undefined || name === undefined) return base.of;
  if (name === cx.scope.self && cx.scope.selfIsData) {
    cx.scope.ownReads.push(action.span);
    return { op: "data" };
  }
  const bound = name === "previous" ? (cx.scope.previous ?? name) : name;
  const seen = visible(bound, cx.scope);
  if (seen !== undefined) return readAction(bound, seen, action.span);
  cx.report(unknownAction(bound, cx), action.span);
  return base.of;
}

function planMatcher(use: string, argument: Node, target: Expr, base: Base, cx: Lowering): MatcherPlan {
  const matcher = base.matchers[use];
  const { node, leaves } = use === "verify_schema" ? splitStructure(argument, leafTest(target, base, cx), cx.report) : { node: argument };
  // Phase 2 has checked that no field is missing; a field that is unset at run time fails the test, not the action.
  const { required: _, ...schema } = matcher?.schema ?? {};
  const isExpression = schema.context === "expression" && node.kind === "scalar";
  const { operand: given, values }: Expression = isExpression
    ? lowerExpression(node, cx)
    : { operand: lowerOperand(node, schema, use, cx), values: [] };
  if (use === "is_valid_jwt") checkJwtKey(argument, cx.report);
  if (matcher !== undefined && given.op === "lit") checkStage(matcher, given.value, node.span, cx.report);
  // The details of a matcher with `proves` show nothing of a map that holds its keys.
  const secret = readsSecret(given) && (node.kind === "scalar" || matcher?.proves !== true);
  const refusable = matcher?.prepare !== undefined && given.op !== "lit";
  const markers = matcher?.comparesMembers ? markersIn(given) : [];
  const dynamic = refusable || markers.length > 0 || (node.kind === "scalar" && mayBeUnset(given, matcher?.comparesNull === true));
  // A literal cannot be unset, so it is never null.
  const operand: Expr = given.op === "typed" && node.kind === "scalar" && !dynamic ? { ...given, required: true } : given;
  const isValue = matcher?.hasForms === true && node.kind === "scalar" && given.op !== "lit" && given.op !== "text";
  const beside = {
    ...(isValue ? { isValue } : {}),
    ...(markers.length === 0 ? {} : { markers }),
    ...(secret ? { secret } : {}),
    ...(values.length === 0 ? {} : { values }),
    ...(leaves === undefined || Object.keys(leaves).length === 0 ? {} : { leaves }),
  };
  return { use, operand, dynamic, ...beside, at: node.span };
}

/** The operand of a matcher. An operand with a mistake, which has been reported, becomes a value of unknown type. */
function lowerOperand(node: Node, schema: JsonSchema, field: string, cx: Lowering): Expr {
  let isSound = true;
  const report: Report = (finding, ...place) => {
    if (finding.severity === "error") isSound = false;
    cx.report(finding, ...place);
  };
  const operand = lower(node, schema, { ...cx, report }, { field, required: false });
  return isSound ? operand : { op: "reread", of: operand };
}

/** Plans the test of a leaf: its label is the path of the leaf, and its base the value of the leaf (spec/language 6.5). */
function leafTest(target: Expr, base: Base, cx: Lowering): (test: Node, leaf: TargetPlace) => TestPlan {
  return (test, { path, steps }) => {
    const label = path === "" ? {} : { label: path };
    return planTest(test, { ...base, ...label, of: pathExpr(target, { steps, count: false }) }, cx);
  };
}

/** The places of markers inside of an operand whose values may be missing. */
function markersIn(e: Expr, place: MarkerPlace = []): readonly MarkerPlace[] {
  if (e.op === "list") return e.items.flatMap((item, i) => markersIn(item, [...place, i]));
  if (e.op !== "map") return place.length > 0 && mayBeUnset(e, true) ? [place] : [];
  return e.entries.flatMap(([key, value]) => markersIn(value, [...place, typeof key === "string" ? key : null]));
}

/**
 * True for a marker whose value may be missing. `->default(...)` replaces a missing value, and text is never missing. `nullable`: a default
 * of null counts as a value.
 */
function mayBeUnset(e: Expr, nullable: boolean): boolean {
  if (e.op === "typed") return mayBeUnset(e.of, nullable);
  if (e.op === "or") return !nullable && (mayBeUnset(e.instead, nullable) || (e.instead.op === "lit" && e.instead.value === null));
  return e.op !== "lit" && e.op !== "text" && e.op !== "list" && e.op !== "map";
}

const unknownAction = (name: string, cx: Lowering): Finding => names.unknownActionIn(name, "action", nearest(name, visibleNames(cx.scope)));
