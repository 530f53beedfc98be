import { matchers } from "#generated/features.ts";
import type { AboutPlan, FallbackStrategy, InterfacePlan, InterfaceStartPlan, LoadsPlan, ResponsePlan, RulesPlan } from "#runtime/plan.ts";
import { entry, flag, get, items, type Node, numberOf, scalarText, textOf } from "../1-read/document.ts";
import { isStarted, mayBeOn } from "../2-check/started.ts";
import type { ResolvedInterface } from "../3-resolve/resolved.ts";
import type { ActionSurroundings } from "./action.ts";
import { planActions } from "./actions.ts";
import { planAssert } from "./assert.ts";
import { planCapture } from "./capture.ts";
import { planContract } from "./contract.ts";
import type { Databases } from "./database.ts";
import { planRunLine, planRunRecords } from "./logs.ts";
import { planMcp } from "./mcp.ts";
import { planNetwork, planStartedNetwork } from "./network.ts";
import { planParams } from "./params.ts";
import { planRealtime } from "./realtime.ts";
import { planSchedule } from "./schedule.ts";
import type { Lowering } from "./scope.ts";
import { lower, lowerResponseBody } from "./values.ts";

/** What an interface is planned in. */
export interface Surroundings extends ActionSurroundings {
  /** Rules of the configuration. */
  readonly network: RulesPlan | undefined;
  /** The record behind them. */
  readonly networkNode: Node | undefined;
}

/** Lowers one interface. Undefined when its actions wait for each other: nothing of it could run. */
export function planInterface(target: ResolvedInterface, around: Surroundings, cx: Lowering): InterfacePlan | undefined {
  const { node } = target;
  const first = new Set<string>();
  const last = new Set<string>();
  const beside: Lowering = { ...cx, scope: { ...cx.scope, states: first } };
  const list = planActions(target.actions, target.span, around, beside);
  if (list === undefined) return undefined;
  const assert = get(node, "assert");
  const ending = { self: undefined, previous: target.actions.at(-1)?.name, reads: new Map(), states: last };
  const rest: Lowering = { ...cx, scope: { ...cx.scope, ...ending } };
  const parts = {
    params: planParams(get(node, "params"), { ...rest, scope: { ...rest.scope, actions: new Set(), previous: undefined, states: first } }),
    ...list,
    ...(assert === undefined ? {} : { assert: planAssert(assert, { of: { op: "data" }, matchers }, rest) }),
    response: planResponse(get(node, "response"), around.databases, rest),
  };
  const line = planRunLine(get(node, "log"), target.name, rest);
  const loads = planLoads([...cx.scope.secrets.keys()], first, last);
  const schedule = planSchedule(entry(node, "schedule"), cx.report);
  const started = planStartedNetwork(target, around.networkNode, parts, cx);
  const network = started === undefined ? planNetwork(target, around.network, parts) : undefined;
  const start = planStart(node, started, cx);
  const capture = planCapture(get(node, "capture"));
  const about = planAbout(node);
  const contract = planContract(node, parts, matchers);
  const mcp = planMcp(node, { name: target.name, route: target.route, about, contract });
  return {
    name: target.name,
    method: target.method,
    ...(target.route === undefined ? {} : { route: target.route }),
    output: target.output,
    ...(target.discards ? { discards: true } : {}),
    disable_fastpath: flag(node, "disable_fastpath"),
    ...(textOf(get(node, "respond")) === "early" ? { respond: "early" } : {}),
    silence: flag(node, "silence"),
    show_error_detail: mayBeOn(node, "show_error_detail"),
    ...parts,
    ...(line === undefined ? {} : { log: line }),
    ...(loads === undefined ? {} : { loads }),
    ...(schedule === undefined ? {} : { schedule }),
    ...planRealtime(node, cx.report),
    ...(network === undefined ? {} : { network }),
    ...(capture === undefined ? {} : { capture }),
    ...(mcp === undefined ? {} : { mcp }),
    ...(start === undefined ? {} : { start }),
    ...(about === undefined ? {} : { about }),
    contract,
    at: target.span,
  };
}

function planLoads(secrets: readonly string[], first: ReadonlySet<string>, last: ReadonlySet<string>): LoadsPlan | undefined {
  if (secrets.length + first.size + last.size === 0) return undefined;
  return { before: { secrets: secrets.toSorted(), states: [...first].sort() }, after: { states: [...last].sort() } };
}

function planAbout(node: Node): AboutPlan | undefined {
  const text = (key: "summary" | "description" | "notes"): AboutPlan => {
    const written = scalarText(get(node, key))?.trim();
    return written === undefined || written === "" ? {} : { [key]: written };
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

/** Fields of the interface that are read at the start, each as far as one of its values is. */
function planStart(node: Node, network: InterfaceStartPlan["network"], cx: Lowering): InterfaceStartPlan | undefined {
  const { properties = {} } = cx.definitions.Interface ?? {};
  const read = (key: "show_error_detail" | "public" | "capture" | "schedule"): InterfaceStartPlan => {
    const value = get(node, key);
    return isStarted(value) && value !== undefined
      ? { [key]: lower(value, properties[key] ?? {}, cx, { field: key, required: false }) }
      : {};
  };
  const enabled = get(get(node, "mcp"), "enabled");
  const tool = { field: "enabled", required: false };
  const codes = statusesOf(get(node, "response"));
  const start: InterfaceStartPlan = {
    ...read("show_error_detail"),
    ...(get(node, "ws") === undefined && get(node, "mqtt") === undefined ? {} : read("public")),
    ...(enabled === undefined || !isStarted(enabled)
      ? {}
      : { mcp: lower(enabled, cx.definitions.McpTool?.properties?.enabled ?? {}, cx, tool) }),
    ...(isStarted(codes) && codes !== undefined ? { response: lower(codes, { $ref: "#/$defs/InterfaceResponse" }, cx) } : {}),
    ...read("schedule"),
    ...read("capture"),
    ...(network === undefined ? {} : { network }),
  };
  return Object.keys(start).length === 0 ? undefined : start;
}

/** The static part of a response, without what is evaluated for each run. */
const statusesOf = (response: Node | undefined): Node | undefined =>
  response?.kind === "map" ? { ...response, entries: response.entries.filter(({ key }) => key.startsWith("http_code_")) } : undefined;

function planResponse(node: Node | undefined, databases: Databases, cx: Lowering): ResponsePlan {
  const http_code_on_error = numberOf(get(node, "http_code_on_error"));
  const http_code_fallback = numberOf(get(node, "http_code_fallback"));
  const chosen = get(node, "http_code_fallback_strategy");
  const strategy = isStarted(chosen) ? undefined : textOf(chosen);
  const inherit = items(get(node, "http_code_inherit_error")).flatMap((item) => scalarText(item) ?? []);
  const headers = get(node, "headers");
  const custom = entry(node, "custom_body");
  const logs = items(get(node, "logs")).flatMap((item) => planRunRecords(item, databases, cx.report) ?? []);
  return {
    ...(http_code_on_error === undefined ? {} : { http_code_on_error }),
    ...(inherit.length === 0 ? {} : { http_code_inherit_error: inherit }),
    ...(http_code_fallback === undefined ? {} : { http_code_fallback }),
    ...(strategy === undefined ? {} : { http_code_fallback_strategy: strategy as FallbackStrategy }), // one of the enum, by the schema
    ...(headers === undefined ? {} : { headers: lower(headers, { type: "object", additionalProperties: { context: "header" } }, cx) }),
    ...(logs.length === 0 ? {} : { logs }),
    ...(custom === undefined ? {} : { custom_body: lowerResponseBody(custom.value, cx) }),
  };
}
