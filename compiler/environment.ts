import { filters } from "#runtime/features/filters/index.ts";
import { isSealed } from "#runtime/keys/envelope.ts";
import { asyncJq, jq } from "#runtime/languages/jq.ts";
import type { ConfigPlan, Expr, Span, StartFormPlan } from "#runtime/plan/index.ts";
import { createHost } from "#runtime/process/host.ts";
import type { Config, Interface } from "#runtime/run/interface.ts";
import { LiveRun } from "#runtime/run/live-run.ts";
import { bareRequest } from "#runtime/run/request.ts";
import { fitted, problemOf, type StartForm } from "#runtime/start/form.ts";
import * as judges from "#runtime/start/judges.ts";
import { Failure } from "#runtime/value/failure.ts";
import { isObject, type Json, type JsonObject, own } from "#runtime/value/json.ts";
import { evaluate, type Scope } from "#runtime/walk/evaluate.ts";
import { type Document, plain } from "./1-read/document.ts";
import { memberOf } from "./4-plan/inference/provenance.ts";
import { exprsIn } from "./4-plan/markers/mentions.ts";
import type { WantedVariable } from "./4-plan/markers/scope.ts";
import { marker } from "./diagnostics/codes/marker.ts";
import { names } from "./diagnostics/codes/names.ts";
import type { Report } from "./diagnostics/diagnostic.ts";
import { nearest } from "./diagnostics/nearest.ts";

/** An environment, as far as it is known from its files: its name, and the managed variables. */
export interface Environment {
  readonly name: string;
  readonly variables: JsonObject;
  /** True when there is a file for it, or the file for all environments. */
  readonly hasFile: boolean;
}

/** The variables of all files together, and those `given` by flags over them; of the same name the last one counts. */
export const environmentOf = (name: string, files: readonly Document[], given: readonly JsonObject[] = []): Environment => ({
  name,
  variables: Object.assign({}, ...files.map(({ root }) => plain(root)).filter(isObject), ...given),
  hasFile: files.length > 0 || given.length > 0,
});

/** A configuration, and the names that the files of the environment have to define. */
export interface Asking {
  readonly plan: ConfigPlan;
  readonly wanted: readonly WantedVariable[];
}

/**
 * Checks configurations against an environment. It reports names that the environment does not define (PW356), and values that fields read
 * at the start do not accept (PW255).
 */
export function checkEnvironment(all: readonly Asking[], environment: Environment, report: Report): void {
  for (const { plan, wanted } of all) {
    // Without a file the variables are unknown: they come with `--vars` when a process starts.
    if (environment.hasFile) checkNames(plan, wanted, environment, report);
    checkStart(plan, environment, report);
  }
}

function checkNames(plan: ConfigPlan, wanted: readonly WantedVariable[], environment: Environment, report: Report): void {
  const available = [...Object.keys(environment.variables), ...plan.variables.map(([name]) => name)];
  const missing = new Map(
    wanted.filter(({ name }) => !Object.hasOwn(environment.variables, name)).map((each) => [each.name, each] as const),
  );
  for (const { name, at } of missing.values()) report(names.unsetVariable(name, environment.name, nearest(name, available)), at);
}

function checkStart(plan: ConfigPlan, { name, variables }: Environment, report: Report): void {
  const fields = exprsIn([plan.start, ...plan.interfaces.map(({ start }) => start)], "start");
  if (fields.length === 0) return;
  const host = createHost({ variables });
  const config: Config = { name: plan.name, interfaces: [], needs: plan.needs };
  const scope: Scope = {
    cx: new LiveRun(host, config, nobody, bareRequest(host, "start")),
    parts: { filters, jq: { jq, asyncJq } },
    acts: new Map(),
    ready: new WeakMap(),
  };
  const fittedValue = ({ of, field, form, at }: StartExpr): Json | undefined => {
    // Variables of the process environment and sealed values are not known here.
    if (!exprsIn(of, "root").every(({ root, name = "" }) => root !== "env" && isPlain(own(variables, name)))) return undefined;
    try {
      return fitted(withJudge(form), evaluate(of, scope), field);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      report(marker.startValue(host.redactor.text(problemOf(error)), name), at);
      return undefined;
    }
  };
  const values = new Map(fields.map((field) => [field, fittedValue(field)] as const));
  const [first, ...more] = defaultServers(plan, values);
  for (const { id, at } of more)
    if (at !== undefined) report(marker.startValue(`MCP servers '${first?.id}' and '${id}' are both the default`, name), at);
  void host.close();
}

interface DefaultServer {
  readonly id: string;
  /** The place of a field that is read at the start. Undefined for a literal; two literals are reported without an environment. */
  readonly at: Span | undefined;
}

/** The MCP servers that are the default. Servers for which the environment decides it come last. */
function defaultServers({ start }: ConfigPlan, values: ReadonlyMap<StartExpr, Json | undefined>): readonly DefaultServer[] {
  const servers = start?.mcp_servers;
  const members = servers?.op === "map" ? servers.entries : [];
  const defaults = members.flatMap(([id, record]): DefaultServer[] => {
    const member = memberOf(record, "default");
    const value = member.op === "start" ? values.get(member) : member.op === "lit" ? member.value : undefined;
    return value === true ? [{ id: String(id), at: member.op === "start" ? member.at : undefined }] : [];
  });
  return defaults.toSorted((a, b) => Number(a.at !== undefined) - Number(b.at !== undefined));
}

const nobody: Interface = { name: "start", output: "none", run: () => undefined };

const isPlain = (value: Json | undefined): boolean => value !== undefined && !isSealed(value);

const withJudge = ({ judge, items, ...words }: StartFormPlan): StartForm => ({
  ...words,
  ...(judge === undefined ? {} : { judge: judges[judge] }),
  ...(items === undefined ? {} : { items: withJudge(items) }),
});

/** A field that is read when the process starts. */
type StartExpr = Extract<Expr, { op: "start" }>;
