import { cursorText } from "#runtime/capture/query.ts";
import type { CapturedAction, CapturedRun, RunSummary } from "#runtime/capture/recording.ts";
import type { Json } from "#runtime/value/json.ts";
import { visible } from "#runtime/value/visible.ts";
import type { Terminal } from "../project.ts";
import { status } from "../status.ts";
import { table } from "../table.ts";
import { durableRun } from "./durable.ts";
import { type ChosenFlags, placeOf, printable, queryOf, type RunsFlags, reading } from "./store.ts";

export type ListFlags = RunsFlags & ChosenFlags;

/** Lists the newest runs of an environment that match, one on each line. */
export async function listRuns(flags: ListFlags, terminal: Terminal): Promise<number> {
  const query = queryOf(flags);
  const page = await reading(flags, terminal, (history) => history.list(query.filter, query.limit, query.cursor));
  const next = cursorText(page?.next ?? null);
  const runs = page?.runs ?? [];
  if (flags.json === true) terminal.out(`${visible(JSON.stringify({ runs, next }, null, 2))}\n`);
  else {
    terminal.out(table([["STARTED", "STATUS", "MS", "TRIGGER", "CONFIG", "INTERFACE", "RUN"], ...runs.map(cells)]));
    if (next !== null) terminal.err(`more with --cursor ${next}\n`);
  }
  if (runs.length === 0) sayWhere(flags, terminal);
  return status.done;
}

/** Prints the environment and the store, because an empty list is most often caused by a wrong environment. */
function sayWhere(flags: ListFlags, terminal: Terminal): void {
  const { environment, store } = placeOf(flags, terminal);
  terminal.err(`no such runs of the environment ${printable(environment)} in ${store}; --env, --dir and --dotenv choose others\n`);
}

const cells = ({ started, status: code, ms, trigger, config, interface: target, run_uuid }: RunSummary): string[] =>
  [started, String(code), String(ms), trigger, config, target, run_uuid].map(printable);

/** Shows one run with its whole record. */
export async function showRun(id: string, flags: RunsFlags, terminal: Terminal): Promise<number> {
  const run = await reading(flags, terminal, (history) => history.find(id));
  const durable = await durableRun(id, flags, terminal);
  if (run === undefined && durable === undefined) {
    terminal.err(`pipewright: no run ${printable(id)} is kept\n`);
    return status.failed;
  }
  if (flags.json === true) {
    const shown = run === undefined ? durable?.json : { ...run, ...(durable === undefined ? {} : { durable: durable.json }) };
    terminal.out(`${visible(JSON.stringify(shown, null, 2))}\n`);
  } else terminal.out([run === undefined ? [] : [described(run)], durable?.text ?? []].flat().join("\n"));
  return status.done;
}

function described(run: CapturedRun): string {
  const { method, route } = run.request;
  const how = [run.trigger, method, route].filter((part) => part !== undefined).join(" ");
  const head = [
    ["run", run.run_uuid],
    ...(run.parent === null ? [] : [["started by", run.parent]]),
    ["interface", `${run.interface} of ${run.config}`],
    ["trigger", how],
    ["started", `${run.started}, took ${run.ms} ms`],
    ["status", `${run.status}${run.aborted === true ? ", aborted" : ""}`],
    ...(run.errors ?? []).map((error) => ["error", error]),
  ];
  const request = (["params", "headers", "body"] as const).flatMap((part) => member(part, run.request[part]));
  return [table(head.map((row) => row.map(printable))), "\nrequest\n", ...request, ...run.actions.flatMap(action)].join("");
}

function action({ name, status: state, ms, at, input, data, error, errors = [] }: CapturedAction): string[] {
  return [
    `\n${printable(name)}: ${state}, ${ms} ms${at === undefined ? "" : `, ${printable(at)}`}\n`,
    ...[...(error === undefined ? [] : [error]), ...errors].map((each) => `  error  ${printable(each)}\n`),
    ...(input === undefined ? [] : member("input", input)),
    ...(data === undefined ? [] : member("data", data)),
  ];
}

const member = (name: string, value: Json): string[] => [
  `  ${name}  ${visible(JSON.stringify(value, null, 2)).replaceAll("\n", `\n  ${" ".repeat(name.length + 2)}`)}\n`,
];
