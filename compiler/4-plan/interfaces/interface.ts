import { matchers } from "#generated/features.ts";
import type { AboutPlan, Expr, InterfacePlan, LoadsPlan, RulesPlan, Span } from "#runtime/plan/index.ts";
import { entry, flag, get, items, type Node, plain, scalarText, textOf } from "../../1-read/document.ts";
import { mayBeOn } from "../../2-check/started.ts";
import type { ResolvedInterface } from "../../3-resolve/resolved.ts";
import { shape } from "../../diagnostics/codes/file.ts";
import { names } from "../../diagnostics/codes/names.ts";
import type { Report } from "../../diagnostics/diagnostic.ts";
import { nearest } from "../../diagnostics/nearest.ts";
import { present } from "../../present.ts";
import type { ActionSurroundings } from "../action.ts";
import { planActions } from "../actions.ts";
import { planAssert } from "../assert.ts";
import { withProvenance } from "../inference/egress.ts";
import { ofRequest } from "../inference/provenance.ts";
import { withReadings } from "../inference/readings.ts";
import { planRunLine } from "../logs.ts";
import type { Lowering } from "../markers/scope.ts";
import { planAccepts, planProduces } from "./accepts.ts";
import { planCapture } from "./capture.ts";
import { planContract } from "./contract.ts";
import { planStart } from "./interface-start.ts";
import { planMcp, planTool } from "./mcp.ts";
import { planNetwork, planStartedNetwork } from "./network.ts";
import { harmlessParams, namedParams, planParams, settledParams } from "./params.ts";
import { planRealtime } from "./realtime.ts";
import { planResponse } from "./response.ts";
import { planIdle, planSchedule } from "./schedule.ts";
import { streamSource } from "./stream.ts";
import { planTriggers } from "./triggers.ts";

/** The surroundings in which an interface is planned. */
export interface InterfaceSurroundings extends ActionSurroundings {
  /** The network rules of the configuration. */
  readonly network: RulesPlan | undefined;
  /** The record of these rules in the file. */
  readonly networkNode: Node | undefined;
}

/** Lowers one interface. Undefined when its actions wait for each other, because none of them could run. */
export function planInterface(target: ResolvedInterface, around: InterfaceSurroundings, cx: Lowering): InterfacePlan | undefined {
  const { node } = target;
  const run = planRun(target, around, cx);
  if (run === undefined) return undefined;
  const { parts, log, loads } = run;
  const accepts = planAccepts(get(node, "accepts"), cx.report);
  const started = planStartedNetwork(target, around.networkNode, parts, cx);
  const network = started === undefined ? planNetwork(target, around.network, parts) : undefined;
  const about = planAbout(node);
  const contract = {
    ...planContract(node, parts, matchers),
    ...present({ enforced: planProduces(get(node, "produces"), cx.report) }),
  };
  const offering = { name: target.name, route: target.route, about, contract };
  return {
    name: target.name,
    method: target.method,
    ...present({ route: target.route }),
    output: target.output,
    ...(target.discards ? { discards: true } : {}),
    disable_fastpath: flag(node, "disable_fastpath"),
    ...planRespond(node, target, cx.report),
    ...(flag(node, "durable") ? { durable: true } : {}),
    silence: flag(node, "silence"),
    show_error_detail: mayBeOn(node, "show_error_detail"),
    ...parts,
    ...present({ log, loads, schedule: planSchedule(entry(node, "schedule"), cx.report), idle: planIdle(get(node, "schedule")) }),
    ...planTriggers(node, cx),
    ...planRealtime(target, cx.report),
    ...present({
      network,
      capture: planCapture(get(node, "capture")),
      mcp: planMcp(node, offering, cx.scope.templates.values(), cx.report),
    }),
    ...(target.isTool ? { tool: planTool(node, offering) } : {}),
    ...present({ start: planStart(node, started, cx), about }),
    contract,
    ...present({ accepts }),
    at: target.span,
  };
}

/** The parts of an interface that a run goes through: its actions, and all that is evaluated before and after them. */
interface RunParts extends Pick<InterfacePlan, "log" | "loads"> {
  readonly parts: Pick<InterfacePlan, "params" | "actions" | "declared" | "assert" | "response">;
}

function planRun(target: ResolvedInterface, around: InterfaceSurroundings, cx: Lowering): RunParts | undefined {
  const { node } = target;
  const first = new Set<string>();
  const last = new Set<string>();
  const places = new Map<Expr, Span>();
  const settled = settledParams(get(node, "params"));
  const harmless = harmlessParams(get(node, "params"));
  const beside: Lowering = { ...cx, places, settled, harmless, params: namedParams(target), scope: { ...cx.scope, states: first } };
  const stream = streamSource(node, target.actions, cx.report);
  const planned = planActions(target.actions, target.span, { ...around, stream }, beside);
  if (planned === undefined) return undefined;
  const list = withProvenance(planned, ofRequest, { report: cx.report, places });
  const assert = get(node, "assert");
  const ending = { self: undefined, previous: target.actions.at(-1)?.name, reads: new Map(), states: last };
  const rest: Lowering = { ...cx, harmless, scope: { ...cx.scope, ...ending } };
  const draft = {
    params: planParams(get(node, "params"), { ...rest, scope: { ...rest.scope, actions: new Set(), previous: undefined, states: first } }),
    ...list,
    ...(assert === undefined ? {} : { assert: planAssert(assert, { of: { op: "data" }, matchers }, rest) }),
    response: planResponse(get(node, "response"), around.databases, rest),
  };
  const schema = get(get(node, "accepts"), "schema");
  const parts = withReadings(draft, schema === undefined ? undefined : plain(schema), cx.report);
  const log = planRunLine(get(node, "log"), target.name, rest);
  return { parts, ...present({ log, loads: planLoads([...cx.scope.secrets.keys()], first, last) }) };
}

/**
 * The time at which the caller is answered. `respond_after` names actions of the interface (PW302); without `respond: early` it has no
 * effect.
 */
function planRespond(node: Node, { actions }: ResolvedInterface, report: Report): Pick<InterfacePlan, "respond" | "respond_after"> {
  const after = entry(node, "respond_after");
  const isEarly = textOf(get(node, "respond")) === "early";
  const actionNames = actions.map(({ name }) => name);
  const awaited = items(after?.value).flatMap((item) => {
    const name = scalarText(item);
    if (name === undefined || actionNames.includes(name)) return name ?? [];
    report(names.unknownActionIn(name, "respond_after", nearest(name, actionNames)), item.span);
    return [];
  });
  if (after !== undefined && !isEarly) report(shape.noEffect("respond_after"), after.keySpan);
  if (!isEarly) return {};
  return awaited.length === 0 ? { respond: "early" } : { respond: "early", respond_after: [...new Set(awaited)] };
}

function planLoads(secrets: readonly string[], first: ReadonlySet<string>, last: ReadonlySet<string>): LoadsPlan | undefined {
  if (secrets.length + first.size + last.size === 0) return undefined;
  return { before: { secrets: secrets.toSorted(), states: [...first].sort() }, after: { states: [...last].sort() } };
}

function planAbout(node: Node): AboutPlan | undefined {
  const text = (key: "summary" | "description" | "notes"): AboutPlan => {
    const text = scalarText(get(node, key))?.trim();
    return text === undefined || text === "" ? {} : { [key]: text };
  };
  const tags = items(get(node, "tags")).flatMap((item) => scalarText(item) ?? []);
  const about = {
    ...text("summary"),
    ...text("description"),
    ...text("notes"),
    ...(tags.length === 0 ? {} : { tags: [...new Set(tags)] }),
  };
  return Object.keys(about).length === 0 ? undefined : about;
}
