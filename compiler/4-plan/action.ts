import { actions, matchers, transforms } from "#generated/features.ts";
import type { JsonSchema } from "#runtime/feature.ts";
import type {
  ActionListPlan,
  ActionPlan,
  ChoicePlan,
  ConditionPlan,
  Expr,
  GatePlan,
  HidePlan,
  Op,
  ShortReplyPlan,
  Span,
} from "#runtime/plan.ts";
import { type Entry, entriesOf, entry, flag, get, items, type Node, numberOf, textOf } from "../1-read/document.ts";
import type { ResolvedAction, ResolvedCondition } from "../3-resolve/resolved.ts";
import { databases, sources as fieldCodes } from "../diagnostics/codes/actions.ts";
import { flow } from "../diagnostics/codes/names.ts";
import { transforms as codes } from "../diagnostics/codes/transforms.ts";
import { nearest } from "../diagnostics/nearest.ts";
import { planAssert } from "./assert.ts";
import { planHttp } from "./http.ts";
import { planLogs } from "./logs.ts";
import { planLookup } from "./lookup.ts";
import { onlyMarker, parseTemplate } from "./markers.ts";
import { mentions } from "./mentions.ts";
import { planRetry } from "./retry.ts";
import type { Lowering } from "./scope.ts";
import { lowerQuery } from "./sql.ts";
import { type Dialect, isDialect } from "./sql-lexer.ts";
import { checkStage } from "./stage.ts";
import { lower, lowerResponseBody } from "./values.ts";

/** What an action may use of its config and interface. */
export interface ActionSurroundings {
  /** Driver of each declared database; undefined when the declaration lost it. */
  readonly drivers: ReadonlyMap<string, string | undefined>;
  /** `expect_status` of the interface's `defaults`, then `global.http`. */
  readonly httpDefaults: readonly Node[];
  /** The configuration says `expose_metrics: true`. */
  readonly exposesMetrics: boolean;
  /** How many lookups are around. */
  readonly depth: number;
  /** Lowers the nested list of a lookup (actions.ts). */
  readonly list: (actions: readonly ResolvedAction[], span: Span, around: ActionSurroundings, cx: Lowering) => ActionListPlan | undefined;
}

/** Keys that are a source of data; an action has at most one (PW310). */
const sources: readonly string[] = [
  ...["http", "database", "command", "lookup", "delay", "state", "emit_metric", "discover", "email", "sftp", "ws_publish", "mqtt_publish"],
  ...["wait_for_callback", "google", "aws", "agent", "json_output"],
];

/** Lowers one action: gates, ops in the order of an attempt (language.md 3.2), reply policy. */
export function planAction(action: ResolvedAction, around: ActionSurroundings, cx: Lowering): ActionPlan {
  const { node, name } = action;
  const gates = planGates(action, cx);
  const states = new Set<string>();
  const source = planSource(action, around, { ...cx, scope: { ...cx.scope, states } });
  const own: Lowering = { ...cx, scope: { ...cx.scope, selfIsData: true } };
  const after: Lowering = { ...own, scope: { ...own.scope, states } };
  const ops = [...source, ...planCheck(node, after), ...planTransforms(node, after)];
  const retry = planRetry(node, get(node, "http") !== undefined, cx.report);
  const timeout = get(node, "timeout");
  return {
    name,
    gates,
    reads: [...cx.scope.reads.keys()].filter((read) => read !== name),
    hide: planHide(node),
    ops: [...planLoad(states, action.span), ...ops],
    ...(retry === undefined ? {} : { retry }),
    ...(timeout === undefined ? {} : { timeout: lower(timeout, milliseconds, cx, { field: "timeout", required: false }) }),
    logs: planLogs(node, own),
    ...planShort(node, "response_on_success", own),
    ...planShort(node, "response_on_error", own),
    at: action.span,
  };
}

const milliseconds: JsonSchema = { type: ["string", "number"], format: "duration" };

function planGates({ node, gates }: ResolvedAction, cx: Lowering): GatePlan {
  const guard = get(node, "run_on_assertion");
  const { previous } = cx.scope;
  // A guard that names nothing looks at the action before it, and so waits for it.
  const base: Expr = previous === undefined ? { op: "lit", value: null } : { op: "action", name: previous };
  const plan = guard === undefined ? undefined : planAssert(guard, { of: base, matchers, atOnce: "run_on_assertion" }, cx);
  if (guard !== undefined && previous !== undefined && plan?.tests.some(({ target }) => namesAction(target, previous))) {
    if (!cx.scope.reads.has(previous)) cx.scope.reads.set(previous, guard.span);
  }
  return {
    ...(gates.run_when_succeeded === undefined ? {} : { run_when_succeeded: condition(gates.run_when_succeeded) }),
    ...(gates.run_when_failed === undefined ? {} : { run_when_failed: condition(gates.run_when_failed) }),
    ...(gates.depends_on === undefined ? {} : { depends_on: condition(gates.depends_on) }),
    ...(plan === undefined ? {} : { run_on_assertion: plan }),
  };
}

function namesAction(e: Expr, name: string): boolean {
  if (e.op === "action") return e.name === name;
  return "of" in e && namesAction(e.of, name);
}

const condition = ({ spans: _, ...plan }: ResolvedCondition): ConditionPlan => plan;

/** The source of the data: at most one, `input` beside it is ignored (PW311). */
function planSource(action: ResolvedAction, around: ActionSurroundings, cx: Lowering): Op[] {
  const { node } = action;
  const written = entriesOf(node).filter(({ key }) => sources.includes(key));
  const [first, second] = written;
  if (first !== undefined && second !== undefined) cx.report(flow.twoSources(first.key, second.key), second.keySpan);
  const input = get(node, "input");
  if (first === undefined) return entry(node, "actions") === undefined ? planInput(node, cx) : planLookup(action, around, cx);
  if (input !== undefined) {
    if (first.key === "json_output") lower(input, {}, cx);
    else cx.report(flow.inputIgnored(first.key), entry(node, "input")?.keySpan ?? input.span);
  }
  return first.key === "lookup" ? planLookup(action, around, cx) : planUse(first, node, around, cx);
}

function planUse({ key, keySpan: at, value }: Entry, node: Node, around: ActionSurroundings, cx: Lowering): Op[] {
  if (value.kind === "scalar" && value.value === null) return [];
  switch (key) {
    case "json_output":
      return [{ op: "take", from: lower(value, { context: "json" }, cx), at }];
    case "database":
      return planDatabase(value, node, around, cx, at);
    case "http":
      return [{ op: "call", use: key, args: planHttp(value, around.httpDefaults, cx), at }];
    case "delay":
      return [{ op: "call", use: key, args: lower(value, actions.delay.schema, cx, { field: key, required: true }), at }];
    case "state":
      if (value.kind === "map" && value.entries.length !== 1) cx.report(fieldCodes.stateOperation(), at);
      return [{ op: "call", use: key, args: lower(value, actions.state.schema, cx, { field: key, required: true }), at }];
    case "emit_metric":
      if (!around.exposesMetrics) cx.report(fieldCodes.metricsHidden(), at);
      return [{ op: "call", use: key, args: planMetric(value, at, cx), at }];
    default:
      // The action's source was reported as unsupported in phase 2.
      return [];
  }
}

/** Markers cannot wait: what they read of the state is loaded before the source of each attempt. */
function planLoad(states: ReadonlySet<string>, at: Span): Op[] {
  return states.size === 0 ? [] : [{ op: "call", use: "state", args: { op: "lit", value: { load: [...states] } }, at }];
}

/** The name and the need of a value are checked as far as they are known now; what is left to a marker fails at run time. */
function planMetric(value: Node, at: Span, cx: Lowering): Expr {
  const name = get(value, "name");
  const fixed = name === undefined ? undefined : textOf(name);
  const type = textOf(get(value, "type")) ?? "counter";
  const known = fixed !== undefined && parseTemplate(fixed).parts.every(({ kind }) => kind === "text");
  if (known && !/^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(fixed)) cx.report(fieldCodes.metricName(fixed), name?.span ?? at);
  if (type !== "counter" && get(value, "value") === undefined) cx.report(fieldCodes.metricValue(type), at);
  return lower(value, actions.emit_metric.schema, cx, { field: "emit_metric", required: true });
}

function planDatabase(value: Node, node: Node, { drivers }: ActionSurroundings, cx: Lowering, at: Op["at"]): Op[] {
  const name = textOf(value);
  const query = get(node, "query");
  if (name === undefined || query === undefined) return [];
  if (!drivers.has(name)) {
    cx.report(databases.unknown(name, nearest(name, [...drivers.keys()])), value.span);
    return [];
  }
  const driver = drivers.get(name);
  const dialect: Dialect = driver !== undefined && isDialect(driver) ? driver : "postgres";
  const paramsNode = entry(node, "params");
  const params =
    paramsNode === undefined
      ? undefined
      : { span: paramsNode.keySpan, ...(paramsNode.value.kind === "list" ? { count: paramsNode.value.items.length } : {}) };
  const multi = flag(node, "multi");
  const sql: Lowering["sql"] = (scalar, inner) =>
    lowerQuery(scalar, inner, { driver: dialect, ...(params === undefined ? {} : { params }), multi });
  const record: Node = {
    kind: "map",
    span: node.span,
    entries: entriesOf(node).filter(({ key }) => ["query", "params", "multi"].includes(key)),
  };
  const args = lower(record, actions.database.schema, { ...cx, sql });
  // Without a driver that this version has, the declaration was reported already.
  return driver === undefined || !isDialect(driver) ? [] : [{ op: "query", database: name, args, ...(at === undefined ? {} : { at }) }];
}

/** `input` and its fallbacks: the first that is set (language.md 3.3). */
function planInput(node: Node, cx: Lowering): Op[] {
  const input = entry(node, "input");
  const fallbacks = items(get(node, "input_fallbacks"));
  const conditional = get(node, "conditional_input");
  if (input !== undefined && conditional !== undefined)
    cx.report(flow.inputTwice(), entry(node, "conditional_input")?.keySpan ?? conditional.span);
  if (conditional !== undefined) return planConditional(items(conditional), fallbacks, entry(node, "conditional_input")?.keySpan, cx);
  if (input === undefined && fallbacks.length === 0) return [];
  if (input !== undefined) checkInput(input, cx);
  const choices = [...(input === undefined ? [] : [input.value]), ...fallbacks].map((choice) => lower(choice, {}, cx));
  const from = choices.reduceRight((instead, of) => ({ op: "or", of, instead }));
  return [{ op: "take", from, at: (input ?? entry(node, "input_fallbacks"))?.keySpan ?? node.span }];
}

/** Markers alone are fallbacks of each other; entries with tests are tried in order (language.md 3.3). */
function planConditional(entries: readonly Node[], fallbacks: readonly Node[], at: Op["at"], cx: Lowering): Op[] {
  const own: Lowering = { ...cx, scope: { ...cx.scope, selfIsData: true } };
  const choices = [...entries, ...fallbacks].map((node): ChoicePlan => {
    if (node.kind !== "map") return { input: lower(node, {}, cx) };
    const input = get(node, "input");
    const tests = planAssert(node, { of: { op: "data" }, matchers, atOnce: "conditional_input" }, own);
    return {
      input: input === undefined ? { op: "lit", value: null } : lower(input, {}, cx),
      ...(tests.tests.length === 0 ? {} : { tests }),
    };
  });
  const place = at === undefined ? {} : { at };
  if (choices.some(({ tests }) => tests !== undefined)) return [{ op: "pick", choices, ...place }];
  const from = choices.map(({ input }) => input).reduceRight((instead, of) => ({ op: "or", of, instead }));
  return [{ op: "take", from, ...place }];
}

/** `input` is one marker; a plain text is that text, with a warning (PW312). */
function checkInput({ value }: Entry, cx: Lowering): void {
  if (value.kind !== "scalar" || typeof value.value !== "string") {
    cx.report(flow.inputNotMarker(), value.span);
    return;
  }
  const template = parseTemplate(value.value);
  if (template.problems.some(({ finding }) => finding.severity === "error")) return;
  const hasMarker = template.parts.some(({ kind }) => kind === "marker");
  if (!hasMarker) cx.report(flow.inputNoMarker(), value.span);
  else if (onlyMarker(template) === undefined) cx.report(flow.inputNotMarker(), value.span);
}

function planCheck(node: Node, cx: Lowering): Op[] {
  const assert = entry(node, "assert");
  if (assert === undefined || assert.value.kind !== "map") return [];
  return [{ op: "check", assert: planAssert(assert.value, { of: { op: "data" }, matchers }, cx), at: assert.keySpan }];
}

function planTransforms(node: Node, cx: Lowering): Op[] {
  return items(get(node, "post_transforms")).flatMap((item): Op[] => {
    const [only] = entriesOf(item);
    if (only === undefined || !Object.hasOwn(transforms, only.key)) return [];
    // Own keys of the table were checked on the line above.
    const feature = transforms[only.key as keyof typeof transforms];
    const args = lower(only.value, feature.schema, cx, { field: only.key, required: true });
    if (args.op === "lit") checkStage(feature, args.value, only.value.span, cx.report);
    if (mentions(args, "data")) cx.report(codes.ownAction(cx.scope.self ?? ""), only.value.span);
    return [{ op: "shape", use: only.key, args, at: only.keySpan }];
  });
}

function planHide(node: Node): HidePlan {
  const flags = ["hide_action", "hide_data_on_success", "hide_data_on_error", "hide_data_on_empty", "hide_errors"] as const;
  return Object.fromEntries(flags.filter((key) => flag(node, key)).map((key) => [key, true as const]));
}

function planShort<K extends "response_on_success" | "response_on_error">(
  node: Node,
  key: K,
  cx: Lowering,
): { readonly [P in K]?: ShortReplyPlan } {
  const short = get(node, key);
  if (short === undefined) return {};
  const http_code = numberOf(get(short, "http_code"));
  const headers = get(short, "headers");
  const body = get(short, "body");
  const plan: ShortReplyPlan = {
    ...(http_code === undefined ? {} : { http_code }),
    ...(headers === undefined ? {} : { headers: lower(headers, { type: "object", additionalProperties: { context: "header" } }, cx) }),
    ...(body === undefined ? {} : { body: lowerResponseBody(body, cx) }),
  };
  return { [key]: plan } as { readonly [P in K]?: ShortReplyPlan }; // K is the key itself
}
