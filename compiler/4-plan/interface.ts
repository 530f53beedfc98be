import { matchers } from "#generated/features.ts";
import type { AboutPlan, Expr, InterfacePlan, LoadsPlan, RulesPlan, Span } from "#runtime/plan.ts";
import { flag, get, items, type Node, plain, scalarText, textOf } from "../1-read/document.ts";
import type { ResolvedInterface } from "../3-resolve/resolved.ts";
import { planAccepts } from "./accepts.ts";
import type { ActionSurroundings } from "./action.ts";
import { planActions } from "./actions.ts";
import { planAssert } from "./assert.ts";
import { planCapture } from "./capture.ts";
import { planContract } from "./contract.ts";
import { withProvenance } from "./egress.ts";
import { planRunLine } from "./logs.ts";
import { planMcp } from "./mcp.ts";
import { planNetwork } from "./network.ts";
import { planParams } from "./params.ts";
import { ofRequest } from "./provenance.ts";
import { withReadings } from "./readings.ts";
import { planRealtime } from "./realtime.ts";
import { planResponse } from "./response.ts";
import { planSchedule } from "./schedule.ts";
import type { Lowering } from "./scope.ts";
import { streamSource } from "./stream.ts";

/** What an interface is planned in. */
export interface Surroundings extends ActionSurroundings {
  /** Rules of the configuration. */
  readonly network: RulesPlan | undefined;
}

/** Lowers one interface. Undefined when its actions wait for each other: nothing of it could run. */
export function planInterface(target: ResolvedInterface, around: Surroundings, cx: Lowering): InterfacePlan | undefined {
  const { node } = target;
  const first = new Set<string>();
  const last = new Set<string>();
  const urls = new Map<Expr, Span>();
  const beside: Lowering = { ...cx, urls, scope: { ...cx.scope, states: first } };
  const stream = streamSource(node, target.actions, cx.report);
  const planned = planActions(target.actions, target.span, { ...around, stream }, beside);
  if (planned === undefined) return undefined;
  const list = withProvenance(planned, ofRequest, { report: cx.report, urls });
  const assert = get(node, "assert");
  const ending = { self: undefined, previous: target.actions.at(-1)?.name, reads: new Map(), states: last };
  const rest: Lowering = { ...cx, scope: { ...cx.scope, ...ending } };
  const written = {
    params: planParams(get(node, "params"), { ...rest, scope: { ...rest.scope, actions: new Set(), previous: undefined, states: first } }),
    ...list,
    ...(assert === undefined ? {} : { assert: planAssert(assert, { of: { op: "data" }, matchers }, rest) }),
    response: planResponse(get(node, "response"), around.databases, rest),
  };
  const schema = get(get(node, "accepts"), "schema");
  const accepts = planAccepts(get(node, "accepts"), cx.report);
  const parts = withReadings(written, schema === undefined ? undefined : plain(schema), cx.report);
  const line = planRunLine(get(node, "log"), rest);
  const loads = planLoads([...cx.scope.secrets.keys()], first, last);
  const schedule = planSchedule(get(node, "schedule"), cx.report);
  const network = planNetwork(target, around.network, parts);
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
    show_error_detail: flag(node, "show_error_detail"),
    ...parts,
    ...(line === undefined ? {} : { log: line }),
    ...(loads === undefined ? {} : { loads }),
    ...(schedule === undefined ? {} : { schedule }),
    ...planRealtime(node, cx.report),
    ...(network === undefined ? {} : { network }),
    ...(capture === undefined ? {} : { capture }),
    ...(mcp === undefined ? {} : { mcp }),
    ...(about === undefined ? {} : { about }),
    contract,
    ...(accepts === undefined ? {} : { accepts }),
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
