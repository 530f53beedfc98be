import { stringify } from "yaml";
import type { CapturedExchange, CapturedRun } from "../capture/recording.ts";
import { isObject, type Json, type JsonObject } from "../value/json.ts";
import { mask } from "../value/redact.ts";
import { visibleLine } from "../value/visible.ts";
import { callbacksOf, givenBody } from "./recorded-request.ts";

/** Triggers that a test can begin. */
const triggers: ReadonlySet<string> = new Set(["http", "cli", "schedule", "mqtt", "ws", "mcp"]);

/** The reason why a run cannot become a test; undefined when it can. */
export const noTestOf = ({ trigger }: Pick<CapturedRun, "trigger">): string | undefined =>
  triggers.has(trigger) ? undefined : `a test cannot begin a run by ${trigger}: export the run that has led to it`;

/**
 * Writes a recorded run as a file of contract tests. The test gets the request and the time of the run, the state that it found, the
 * answers of services and databases, and the outputs of commands; it expects the status and the outcomes of the actions. A record holds no
 * secrets: the test leaves out hidden headers, and has `***` for other hidden values.
 */
export function recordedTest(run: CapturedRun): string {
  const { interface: target, request, started, status, trigger, actions, run_uuid, exchanges = [], needs } = run;
  const { body, unsent } = givenBody(run);
  const callbacks = callbacksOf(actions);
  const answered = run.early === true || Object.keys(callbacks).length > 0 ? 202 : status;
  const headers = withoutMasked(request.headers);
  if (unsent !== undefined) delete headers["content-type"];
  const givenPart = filled({
    trigger: trigger === "http" ? undefined : trigger,
    params: request.params,
    headers,
    body,
    env: { ...needs?.env },
    var: needs?.vars,
    secret: Object.fromEntries((needs?.secrets ?? []).map((name) => [name, mask])),
    clock: started,
    ...stateOf(exchanges),
    stubs: inTurns(exchanges.flatMap((each): Turn[] => (each.call === undefined ? [] : [[stubName(each.call), answerOf(each)]]))),
    databases: scriptsOf(exchanges),
    commands: inTurns(exchanges.flatMap((each): Turn[] => (each.command === undefined ? [] : [[wild(each.command), outputOf(each)]]))),
    callbacks,
  });
  const outcomes = Object.fromEntries(actions.flatMap(({ name, status: how }) => (how === "unfinished" ? [] : [[name, how]])));
  const test = {
    name: `answers ${answered} as run ${run_uuid.slice(0, 8)} did`,
    interface: target,
    given: givenPart,
    expect: { status: answered, ...(actions.length === 0 ? {} : { actions: outcomes }) },
  };
  const notes = notesOf(run).map((line) => `# ${visibleLine(line)}\n`);
  return `${notes.join("")}${stringify({ tests: [test] }, { lineWidth: 0, aliasDuplicateObjects: false })}`;
}

/** The members that have a value. */
const filled = (members: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(members).filter(
      (entry): entry is [string, Json] =>
        entry[1] !== undefined && (entry[0] === "body" || !isObject(entry[1]) || Object.keys(entry[1]).length > 0),
    ),
  );

/** Hidden parts of an address or a query may be any text in the test. */
const wild = (text: string): string => text.replaceAll(mask, "*");

/** A call or a command with its answer. */
export type Turn = readonly [name: string, answer: JsonObject];

/** The order of stubs: the first one that fits answers a call, so names with a query come first and those with a hidden part last. */
const breadth = ([name]: readonly [name: string, ...unknown[]]): number => (name.includes("*") ? 2 : name.includes("?") ? 0 : 1);

/** Stubs of calls or commands, each with its answers in order. */
export const inTurns = (turns: readonly Turn[]): JsonObject =>
  Object.fromEntries(
    [...Map.groupBy(turns, ([name]) => name)]
      .sort((a, b) => breadth(a) - breadth(b))
      .map(([name, list]): [string, Json] => {
        const [first = {}, ...more] = list.map(([, answer]) => answer);
        return [name, more.length === 0 ? first : [first, ...more]];
      }),
  );

/** The state that the run found. */
function stateOf(exchanges: readonly CapturedExchange[]): Readonly<Record<"state" | "versions" | "seen", JsonObject>> {
  const membersOf = <K extends "value" | "version" | "seen">(member: K): JsonObject =>
    Object.fromEntries(
      exchanges.flatMap(({ state, [member]: value }) => (state === undefined || value === undefined ? [] : [[state, value]])),
    );
  return { state: membersOf("value"), versions: membersOf("version"), seen: membersOf("seen") };
}

/** The name of a stub. A query with a hidden part is left out, so that any query fits. */
function stubName(call: string): string {
  const at = call.indexOf("?");
  const [address, query] = at < 0 ? [call, ""] : [call.slice(0, at), call.slice(at)];
  return query.includes(mask) ? wild(address) : `${wild(address)}${query}`;
}

const answerOf = ({ status = 200, type, location, body, fails }: CapturedExchange): JsonObject => {
  if (fails !== undefined) return { fails };
  const usual = typeof body === "string" ? "text/plain; charset=utf-8" : "application/json";
  const typeHeader = type === undefined || body === undefined || type === usual ? {} : { "content-type": type };
  const headers = { ...typeHeader, ...(location === undefined ? {} : { location }) };
  return {
    ...(status === 200 ? {} : { status }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(body === undefined ? {} : { body }),
  };
};

const outputOf = ({ stdout = "", stderr, exit = 0 }: CapturedExchange): JsonObject => ({
  stdout,
  ...(stderr === undefined ? {} : { stderr }),
  ...(exit === 0 ? {} : { exit }),
});

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

/** Notes for the person who edits the test. */
function notesOf(run: CapturedRun): readonly string[] {
  const { config, interface: target, run_uuid, started, request, exchanges = [], needs } = run;
  const { unsent } = givenBody(run);
  const hidden = Object.keys(request.headers).filter((name) => request.headers[name] === mask);
  const unanswered = exchanges
    .filter((each) => each.hidden === true)
    .map(({ call, command, state, query = "" }) => call ?? command ?? (state === undefined ? query : `state ${state}`));
  const holds = holdsMask({ params: request.params, body: request.body, exchanges: exchanges.map((each) => ({ ...each })), ...needs?.env });
  return [
    `Run ${run_uuid} of ${config}, ${target}, at ${started}.`,
    ...(hidden.length === 0 ? [] : [`Hidden headers, to be given where the interface needs them: ${hidden.join(", ")}`]),
    ...(unsent === undefined ? [] : [`The body was ${unsent}, which is not kept as it was sent: write it by hand.`]),
    ...(Object.keys(callbacksOf(run.actions)).length === 0
      ? []
      : ["The record is that of the last stay in a process: stubs of calls before the wait are missing, to be written by hand."]),
    ...(holds || (needs?.secrets ?? []).length > 0 ? ["Values that are *** were hidden by the record."] : []),
    ...(unanswered.length === 0
      ? []
      : ["Answers that the record does not hold, to be written by hand:", ...unanswered.map((each) => `  ${each}`)]),
    ...(JSON.stringify(exchanges).includes("… (") ? ["Long values were cut: look for … in them."] : []),
  ];
}

const withoutMasked = (headers: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(headers).filter(([name, value]) => value !== mask && !framing.has(name)));

/** Headers that follow from the request itself. */
const framing: ReadonlySet<string> = new Set(["host", "connection", "content-length", "transfer-encoding", "accept-encoding"]);

function holdsMask(value: Json): boolean {
  if (Array.isArray(value)) return value.some(holdsMask);
  return isObject(value) ? Object.values(value).some(holdsMask) : typeof value === "string" && value.includes(mask);
}
