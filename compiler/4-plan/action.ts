import { actions, matchers } from "#generated/features.ts";
import { planners } from "#generated/planners.ts";
import type { AnyAction, JsonSchema } from "#runtime/features/feature.ts";
import type { ActionListPlan, ActionPlan, ChoicePlan, ConditionPlan, Expr, GatePlan, HidePlan, Op, Span } from "#runtime/plan/index.ts";
import { type Entry, entriesOf, entry, flag, get, isNull, items, type Node, numberOf } from "../1-read/document.ts";
import { onlyMarker, parseTemplate } from "../1-read/markers/markers.ts";
import { sourceKeys } from "../2-check/skeleton-actions.ts";
import type { ResolvedAction, ResolvedCondition } from "../3-resolve/resolved.ts";
import { flow } from "../diagnostics/codes/flow.ts";
import { markerFor } from "../other-tools/forms.ts";
import { present } from "../present.ts";
import { needsOf } from "../records.ts";
import { withoutDatabase, withoutEffect } from "./actions/database.ts";
import { planOnlyNew } from "./actions/only_new.ts";
import { planAssert } from "./assert.ts";
import type { SourceSurroundings } from "./databases.ts";
import { memberOf } from "./inference/provenance.ts";
import { planShort } from "./interfaces/response.ts";
import { planStream, type StreamSource } from "./interfaces/stream.ts";
import { planLogs } from "./logs.ts";
import { planLookup, withoutLookup } from "./lookup.ts";
import { orElse } from "./lower/or-else.ts";
import { lower } from "./lower/values.ts";
import { exprsIn } from "./markers/mentions.ts";
import type { Lowering } from "./markers/scope.ts";
import { planRetry } from "./retry.ts";
import { planTransforms } from "./transforms.ts";
import { checkFields } from "./written.ts";

/** The parts of its config and interface that an action may use. */
export interface ActionSurroundings extends SourceSurroundings {
  /** The name of the interface and the names of the actions around, which begin the names of settings. */
  readonly place: string;
  /** The number of lookups around the action. */
  readonly depth: number;
  /** `stream` of the interface; absent in a loop. */
  readonly stream?: StreamSource | undefined;
  /** Lowers the nested list of a lookup (actions.ts). */
  readonly list: (actions: readonly ResolvedAction[], span: Span, around: ActionSurroundings, cx: Lowering) => ActionListPlan | undefined;
}

const sources = sourceKeys(actions);

/** Lowers one action: gates, ops in the order of an attempt (spec/language 3.2), reply policy. */
export function planAction(action: ResolvedAction, around: ActionSurroundings, cx: Lowering): ActionPlan {
  const { node, name } = action;
  const gates = planGates(action, cx);
  const states = new Set<string>();
  const secrets: Lowering["scope"]["secrets"] = new Map();
  const attempting: Lowering = { ...cx, scope: { ...cx.scope, states, secrets } };
  const source = planSource(action, around, attempting);
  const own: Lowering = { ...cx, scope: { ...cx.scope, selfIsData: true } };
  const after: Lowering = { ...own, scope: { ...own.scope, states, secrets } };
  const steps = [...source, ...planCheck(node, after), ...planTransforms(node, after)];
  const ops = [...steps, ...planOnlyNew(node, steps, after)];
  // `response_on_*` is evaluated after the attempt, which has already loaded the states and secrets that `response_on_*` reads.
  const answering: Lowering = { ...own, scope: { ...own.scope, states, secrets } };
  const short = { ...planShort(node, "response_on_success", answering), ...planShort(node, "response_on_error", answering) };
  const forwarded = around.stream?.from === name ? planStream(around.stream, ops, cx.definitions.StreamOut ?? {}, attempting) : undefined;
  const used = entriesOf(node).flatMap(({ key }) => (Object.hasOwn(features, key) ? (features[key] ?? []) : []));
  const callsOf = used.find(({ retries }) => retries === "calls");
  const statuses = callsOf !== undefined || used.some((feature) => feature.statuses === true);
  const retry = planRetry(node, statuses, `${around.place}.${name}`, cx);
  const timeoutNode = get(node, "timeout");
  const timeout = timeoutNode && lower(timeoutNode, milliseconds, cx, { field: "timeout", required: false });
  const logs = planLogs(node, own);
  return {
    name,
    gates,
    // All parts that may read another action have been lowered before this line, also the logs and the time.
    reads: [...cx.scope.reads.keys()].filter((read) => read !== name),
    hide: planHide(node),
    ...planCode(node),
    ops: [...planLoad(states, action.span), ...ops],
    ...short,
    ...(secrets.size === 0 ? {} : { secrets: [...secrets.keys()].sort() }),
    ...(retry === undefined ? {} : { [callsOf === undefined ? "retry" : "retry_calls"]: retry }),
    ...present({ timeout, stream: forwarded }),
    ...planAwaits(ops),
    logs,
    at: action.span,
  };
}

/** The token of a wait is known before the wait, so that other actions can send it to a user. */
function planAwaits(ops: readonly Op[]): Pick<ActionPlan, "awaits"> {
  const wait = ops.find((op) => op.op === "call" && needsOf(op.use) === "answer");
  const token = wait?.op === "call" && wait.args.op === "map" ? wait.args.entries.find(([key]) => key === "token")?.[1] : undefined;
  return token === undefined ? {} : { awaits: { token, of: actionsIn(token) } };
}

/** The actions of its own list that an expression names. */
const actionsIn = (e: Expr): readonly string[] => [
  ...new Set(exprsIn(e, "action").flatMap(({ name, up }) => (up === undefined ? [name] : []))),
];

const milliseconds: JsonSchema = { type: ["string", "number"], format: "duration" };

/** Keys for the answer of a failure or for a success: a guard only skips its action (spec/language 3.4). */
const idleInGuard = ["http_code_on_error", "http_code_on_success", "http_response", "success_message", "result_key"];

function planGates({ node, gates }: ResolvedAction, cx: Lowering): GatePlan {
  const guard = get(node, "run_on_assertion");
  const { previous } = cx.scope;
  // A guard that names no action tests the action before it, and so waits for that action.
  const base: Expr = previous === undefined ? { op: "lit", value: null } : { op: "action", name: previous };
  const plan = guard === undefined ? undefined : planAssert(guard, { of: base, matchers, idle: idleInGuard }, cx);
  if (guard !== undefined && previous !== undefined && plan?.tests.some(({ target }) => namesAction(target, previous))) {
    if (!cx.scope.reads.has(previous)) cx.scope.reads.set(previous, guard.span);
  }
  return {
    ...(gates.run_when_succeeded === undefined ? {} : { run_when_succeeded: condition(gates.run_when_succeeded) }),
    ...(gates.run_when_failed === undefined ? {} : { run_when_failed: condition(gates.run_when_failed) }),
    ...(gates.depends_on === undefined ? {} : { depends_on: condition(gates.depends_on) }),
    ...present({ run_on_assertion: plan }),
  };
}

function namesAction(e: Expr, name: string): boolean {
  if (e.op === "action") return e.name === name;
  return "of" in e && namesAction(e.of, name);
}

const condition = ({ spans: _, ...plan }: ResolvedCondition): ConditionPlan => plan;

/** The source of the data. An action has at most one, and `input` beside it is ignored (PW311). */
function planSource(action: ResolvedAction, around: ActionSurroundings, cx: Lowering): Op[] {
  const { node } = action;
  const entries = entriesOf(node).filter(({ key }) => sources.includes(key));
  const [first, second] = entries;
  if (first !== undefined && second !== undefined) cx.report(flow.twoSources(first.key, second.key), second.keySpan);
  const input = get(node, "input");
  if (first !== undefined && first.key !== "database") withoutEffect(node, cx.report);
  withoutLookup(node, cx.report);
  if (first === undefined) {
    withoutDatabase(node, cx.report);
    return entry(node, "actions") === undefined ? planInput(node, cx) : planLookup(action, around, cx);
  }
  if (input !== undefined) {
    if (first.key === "json_output") lower(input, {}, cx);
    else cx.report(flow.inputIgnored(first.key), entry(node, "input")?.keySpan ?? input.span);
  }
  for (const { key, keySpan, value } of entriesOf(node))
    if (choices.has(key) && items(value).length > 0) cx.report(flow.inputIgnored(first.key, key), keySpan);
  return first.key === "lookup" ? planLookup(action, around, cx) : planUse(first, node, around, cx);
}

/** Keys whose values are lists of inputs. */
const choices: ReadonlySet<string> = new Set(["input_fallbacks", "conditional_input"]);

function planUse({ key, keySpan: at, value }: Entry, node: Node, around: ActionSurroundings, cx: Lowering): Op[] {
  if (isNull(value)) return [];
  if (key === "json_output") return [{ op: "take", from: lower(value, { context: "json" }, cx, { field: key, required: false }), at }];
  const feature = Object.hasOwn(features, key) ? features[key] : undefined;
  if (feature === undefined) return [];
  const { check, plan } = planners[key] ?? {};
  const place = { at, action: node, around };
  check?.(value, place, cx);
  checkFields(value, feature.asks, cx.report);
  const planned = plan?.(value, place, cx) ?? lower(value, feature.schema, cx, { field: key, required: true });
  const ops: Op[] = "op" in planned ? [{ op: "call", use: key, args: planned, at }] : [...planned];
  for (const way of Object.values(feature.addresses ?? {})) {
    const field = way.reduce<Node | undefined>(get, value);
    for (const op of ops) if (field !== undefined && op.op === "call") cx.places?.set(memberOf(op.args, ...way), field.span);
  }
  return ops;
}

const features: Readonly<Record<string, AnyAction>> = actions;

/** Evaluating a marker cannot wait, so the state that markers read is loaded before the source of each attempt. */
function planLoad(states: ReadonlySet<string>, at: Span): Op[] {
  return states.size === 0 ? [] : [{ op: "call", use: "state", args: { op: "lit", value: { load: [...states] } }, at }];
}

/** `input` and its fallbacks: the first that is set (spec/language 3.3). */
function planInput(node: Node, cx: Lowering): Op[] {
  const input = entry(node, "input");
  const fallbacks = items(get(node, "input_fallbacks"));
  const conditional = get(node, "conditional_input");
  if (input !== undefined && conditional !== undefined)
    cx.report(flow.inputTwice(), entry(node, "conditional_input")?.keySpan ?? conditional.span);
  if (conditional !== undefined) return planConditional(items(conditional), fallbacks, entry(node, "conditional_input")?.keySpan, cx);
  if (input === undefined && fallbacks.length === 0) return [];
  if (input !== undefined) checkInput(input, cx);
  const choices = [...(input === undefined ? [] : [input.value]), ...fallbacks].map((choice) =>
    lower(choice, choice === input?.value ? { title: "input" } : {}, cx),
  );
  const from = choices.reduceRight((instead, of) => orElse(of, instead));
  return [{ op: "take", from, at: (input ?? entry(node, "input_fallbacks"))?.keySpan ?? node.span }];
}

/**
 * Plans `conditional_input`: entries without tests are fallbacks of each other; entries with tests are tried in order (spec/language 3.3).
 */
function planConditional(entries: readonly Node[], fallbacks: readonly Node[], at: Op["at"], cx: Lowering): Op[] {
  const own: Lowering = { ...cx, scope: { ...cx.scope, selfIsData: true } };
  const choices = [...entries, ...fallbacks].map((node): ChoicePlan => {
    if (node.kind !== "map") return { input: lower(node, {}, cx) };
    const input = get(node, "input");
    const tests = planAssert(node, { of: { op: "data" }, matchers }, own);
    return {
      input: input === undefined ? { op: "lit", value: null } : lower(input, {}, cx),
      ...(tests.tests.length === 0 ? {} : { tests }),
    };
  });
  const place = at === undefined ? {} : { at };
  if (choices.some(({ tests }) => tests !== undefined)) return [{ op: "pick", choices, ...place }];
  // A list gives null when it is empty, and when every entry was removed because of a mistake.
  const [last = { op: "lit", value: null } as const, ...others] = choices.map(({ input }) => input).toReversed();
  const from = others.reduce((instead, of) => orElse(of, instead), last);
  return [{ op: "take", from, ...place }];
}

/** Checks that `input` is one marker. A plain text is allowed as a text, with a warning (PW312). */
function checkInput({ value }: Entry, cx: Lowering): void {
  if (value.kind !== "scalar" || typeof value.value !== "string") {
    cx.report(flow.inputNotMarker(), value.span);
    return;
  }
  const template = parseTemplate(value.value);
  if (template.problems.some(({ finding }) => finding.severity === "error")) return;
  const hasMarker = template.parts.some(({ kind }) => kind === "marker");
  if (!hasMarker) cx.report(flow.inputNoMarker(markerFor(value.value)), value.span);
  else if (onlyMarker(template) === undefined) cx.report(flow.inputNotMarker(), value.span);
}

function planCheck(node: Node, cx: Lowering): Op[] {
  const assert = entry(node, "assert");
  if (assert === undefined || assert.value.kind !== "map") return [];
  return [{ op: "check", assert: planAssert(assert.value, { of: { op: "data" }, matchers }, cx), at: assert.keySpan }];
}

/**
 * The status that the tests of an http action ask for. The response has the same status when an unexpected status of the service ends the
 * action before its tests.
 */
function planCode(node: Node): Pick<ActionPlan, "http_code_on_error"> {
  const assert = get(node, "http") === undefined ? undefined : get(node, "assert");
  const code = assert === undefined ? undefined : numberOf(get(assert, "http_code_on_error"));
  return code === undefined ? {} : { http_code_on_error: code };
}

function planHide(node: Node): HidePlan {
  const flags = ["hide_action", "hide_data_on_success", "hide_data_on_error", "hide_data_on_empty", "hide_errors"] as const;
  return Object.fromEntries(flags.filter((key) => flag(node, key)).map((key) => [key, true as const]));
}
