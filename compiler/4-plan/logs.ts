import type { LoggedRuns, LogPlan, LogsPlan, RunLinePlan, RunRecordsPlan } from "#runtime/plan/index.ts";
import { flag, get, items, type Node, textOf } from "../1-read/document.ts";
import { isStarted } from "../2-check/started.ts";
import { databases as codes } from "../diagnostics/codes/databases.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { nearest } from "../diagnostics/nearest.ts";
import { type Databases, spokenBy } from "./databases.ts";
import { lower } from "./lower/values.ts";
import type { Lowering } from "./markers/scope.ts";

const moments = ["pre_log", "success_log", "post_log", "error_log", "retry_log"] as const;

/** The log lines of an action (spec/language 3.8). Secrets are hidden in them. */
export function planLogs(node: Node, cx: Lowering): LogsPlan {
  const masked: Lowering = { ...cx, scope: { ...cx.scope, masked: true } };
  return Object.fromEntries(
    moments.flatMap((moment) => {
      const lines = items(get(node, moment)).flatMap((line) => planLine(line, masked));
      return lines.length === 0 ? [] : [[moment, lines]];
    }),
  );
}

/** `log` of an interface: a text, or a record (spec/language 7.9). */
export function planRunLine(node: Node | undefined, place: string, cx: Lowering): RunLinePlan | undefined {
  if (node === undefined) return undefined;
  const masked: Lowering = { ...cx, scope: { ...cx.scope, masked: true } };
  if (node.kind === "scalar") return { level: "info", msg: lower(node, { type: "string" }, masked) };
  const on = textOf(get(node, "on"));
  const [line = { level: levelOf(textOf(get(node, "level"))), msg: { op: "lit", value: "run ended" } }] = planLine(node, masked);
  const levelNode = get(node, "level");
  const started = `${place}.log.level`;
  if (levelNode !== undefined && isStarted(levelNode)) {
    const schema = cx.definitions.InterfaceLogLine?.properties?.level ?? {};
    cx.settings?.push([started, "level", lower(levelNode, schema, cx, { field: "level", required: false })]);
  }
  return {
    ...line,
    ...(isStarted(levelNode) ? { level: { started } } : {}),
    // One of the words, by the schema.
    ...(on === undefined ? {} : { on: on as LoggedRuns }),
  };
}

/** An entry of `response.logs` (spec/language 7.5). A mistake in its database is reported. */
export function planRunRecords(node: Node, databases: Databases, report: Report): RunRecordsPlan | undefined {
  // One of the words, by the schema.
  const on = textOf(get(node, "on")) as LoggedRuns | undefined;
  if (on === undefined) return undefined;
  const member = get(node, "database");
  const database = textOf(member);
  if (member === undefined || database === undefined) return { on };
  if (!databases.has(database)) report(codes.unknown(database, nearest(database, databases.names)), member.span);
  return { on, to: { use: spokenBy(databases.driverOf(database) ?? "") === "documents" ? "run_documents" : "run_rows", database } };
}

function planLine(node: Node, cx: Lowering): LogPlan[] {
  const msg = get(node, "msg");
  if (msg === undefined) return [];
  const isJson = flag(node, "json");
  return [{ level: levelOf(textOf(get(node, "level"))), msg: lower(msg, isJson ? { context: "json" } : { type: "string" }, cx) }];
}

function levelOf(level: string | undefined): LogPlan["level"] {
  if (level === "warning") return "warn";
  // One of the words, by the schema.
  return (level ?? "info") as LogPlan["level"];
}
