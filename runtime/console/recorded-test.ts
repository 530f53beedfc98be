import { stringify } from "yaml";
import type { CapturedExchange, CapturedRun } from "../capture/recording.ts";
import { isObject, type Json, type JsonObject } from "../value/json.ts";
import { mask } from "../value/redact.ts";
import { visibleLine } from "../value/visible.ts";

/**
 * A recorded run as a file of contract tests: its request, its time, the answers of services and databases, its status and the outcomes of
 * its actions. A record holds no secrets: headers that it hides are left out, other values that it hides stay `***`.
 */
export function recordedTest(run: CapturedRun): string {
  const { interface: target, request, started, status, trigger, actions, run_uuid, exchanges = [], needs } = run;
  const givenPart = filled({
    trigger: trigger === "http" ? undefined : trigger,
    params: request.params,
    headers: withoutMasked(request.headers),
    body: request.body === null ? undefined : request.body,
    env: { ...needs?.env },
    var: needs?.vars,
    secret: Object.fromEntries((needs?.secrets ?? []).map((name) => [name, mask])),
    clock: started,
    stubs: stubsOf(exchanges),
    databases: scriptsOf(exchanges),
  });
  const outcomes = Object.fromEntries(actions.flatMap(({ name, status: how }) => (how === "unfinished" ? [] : [[name, how]])));
  const test = {
    name: `answers ${status} as run ${run_uuid.slice(0, 8)} did`,
    interface: target,
    given: givenPart,
    expect: { status, ...(actions.length === 0 ? {} : { actions: outcomes }) },
  };
  const notes = notesOf(run).map((line) => `# ${visibleLine(line)}\n`);
  return `${notes.join("")}${stringify({ tests: [test] }, { lineWidth: 0, aliasDuplicateObjects: false })}`;
}

/** Members without those that say nothing. */
const filled = (members: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(members).filter(
      (entry): entry is [string, Json] =>
        entry[1] !== undefined && (entry[0] === "body" || !isObject(entry[1]) || Object.keys(entry[1]).length > 0),
    ),
  );

/** A hidden part of an address or a query may be any text. */
const wild = (text: string): string => text.replaceAll(mask, "*");

/** The stubs of the calls, in the order of the answers. A query in which something is hidden does not count. */
function stubsOf(exchanges: readonly CapturedExchange[]): JsonObject {
  const calls = exchanges.flatMap((each) => (each.call === undefined ? [] : [[stubName(each.call), each] as const]));
  const byCall = [...Map.groupBy(calls, ([name]) => name)];
  return Object.fromEntries(
    byCall.map(([name, list]): [string, Json] => {
      const answers = list.map(([, each]) => answerOf(each));
      return [name, answers.length === 1 ? (answers[0] ?? {}) : answers];
    }),
  );
}

function stubName(call: string): string {
  const at = call.indexOf("?");
  const [address, query] = at < 0 ? [call, ""] : [call.slice(0, at), call.slice(at)];
  return query.includes(mask) ? wild(address) : `${wild(address)}${query}`;
}

const answerOf = ({ status = 200, type, body, fails }: CapturedExchange): JsonObject => {
  if (fails !== undefined) return { fails };
  const usual = typeof body === "string" ? "text/plain; charset=utf-8" : "application/json";
  return {
    ...(status === 200 ? {} : { status }),
    ...(type === undefined || body === undefined || type === usual ? {} : { headers: { "content-type": type } }),
    ...(body === undefined ? {} : { body }),
  };
};

function scriptsOf(exchanges: readonly CapturedExchange[]): JsonObject {
  const queries = exchanges.filter(({ query }) => query !== undefined);
  const byDatabase = [...Map.groupBy(queries, ({ database = "" }) => database)];
  return Object.fromEntries(byDatabase.map(([name, list]) => [name, list.map(queryOf)]));
}

function queryOf({ query = "", params, rows = [], error }: CapturedExchange): JsonObject {
  return {
    query: wild(query),
    ...(params === undefined || holdsMask(params) ? {} : { params }),
    ...(error === undefined ? { rows } : { error: error.replace(/^database: /, "") }),
  };
}

/** The lines for the person who makes a test of it. */
function notesOf({ config, interface: target, run_uuid, started, request, exchanges = [], needs }: CapturedRun): readonly string[] {
  const hidden = Object.keys(request.headers).filter((name) => request.headers[name] === mask);
  const unanswered = exchanges.filter((each) => each.hidden === true).map(({ call, query = "" }) => call ?? query);
  const holds = holdsMask({ params: request.params, body: request.body, exchanges: exchanges.map((each) => ({ ...each })), ...needs?.env });
  return [
    `Run ${run_uuid} of ${config}, ${target}, at ${started}.`,
    ...(hidden.length === 0 ? [] : [`Hidden headers, to be given where the interface needs them: ${hidden.join(", ")}`]),
    ...(holds || (needs?.secrets ?? []).length > 0 ? ["Values that are *** were hidden by the record."] : []),
    ...(unanswered.length === 0
      ? []
      : ["Answers that the record does not hold, to be written by hand:", ...unanswered.map((each) => `  ${each}`)]),
    ...(JSON.stringify(exchanges).includes("… (") ? ["Long values were cut: look for … in them."] : []),
  ];
}

const withoutMasked = (headers: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(headers).filter(([name, value]) => value !== mask && !framing.has(name)));

/** Headers that follow from the request. */
const framing: ReadonlySet<string> = new Set(["host", "connection", "content-length", "transfer-encoding", "accept-encoding"]);

function holdsMask(value: Json): boolean {
  if (Array.isArray(value)) return value.some(holdsMask);
  return isObject(value) ? Object.values(value).some(holdsMask) : typeof value === "string" && value.includes(mask);
}
