import type { ConfigPlan, ConfigStartPlan, Expr, InterfaceStartPlan } from "#runtime/plan/index.ts";
import { exprsIn, mentions } from "../4-plan/markers/mentions.ts";
import { type Code, code, empty, type Line, lines, list, lit, property } from "./code.ts";
import { block, type ExprPlace, expr } from "./exprs.ts";
import type { ModulePlace } from "./place.ts";

// This file prints the functions that read the fields with markers of the environment when the process starts.

function placeOf(m: ModulePlace, path: string): ExprPlace {
  const started = { path, keep: m.keepPlace };
  return { imports: m.imports, act: outside, data: code`null`, now: () => code`cx.host.now()`, indent: "", started };
}

/** A place in the record of another field, whose path is `path`. */
const at = (p: ExprPlace, m: ModulePlace, path: string): ExprPlace => ({ ...p, started: { path, keep: m.keepPlace } });

/** The record of the network policy that interfaces inherit, if it or the policy of one of them is read at the start. */
export function startedNetwork(
  { start }: ConfigPlan,
  m: ModulePlace,
): { readonly lines: readonly Line[]; readonly name: Code | undefined } {
  if (start?.network === undefined) return { lines: [], name: undefined };
  const name = m.names.fresh("network_start");
  const value = code`(${parameters(start.network)}) => (${expr(start.network, placeOf(m, "network"))})`;
  return {
    lines: [{ text: empty }, { text: code`/** network: read when the process starts */` }, ...lines(code`const ${name} = ${value};`)],
    name,
  };
}

/** An unused parameter gets a name with `_`, because the strict flags of the type checker demand it. */
const parameters = (e: Expr): Code =>
  mentions(e, "start") ? code`cx: pw.Run, field: pw.StartField` : code`_cx: pw.Run, _field: pw.StartField`;

/** `start` of an interface; undefined if no field of it is read at the start. */
export function startOfInterface(
  name: string,
  plan: InterfaceStartPlan | undefined,
  network: Code | undefined,
  m: ModulePlace,
): Code | undefined {
  if (plan === undefined) return undefined;
  const { imports } = m;
  const fields: ((inner: ExprPlace) => Code)[] = [];
  const add = (key: string, of: Expr | undefined, convert: (value: Code) => Code = (value) => value): void => {
    if (of === undefined) return;
    fields.push((inner) => code`${property(key)}: ${convert(expr(of, at(inner, m, `${name}.${paths[key] ?? key}`)))}`);
  };
  for (const key of ["show_error_detail", "public", "mcp", "response"] as const) add(key, plan[key]);
  add("schedule", plan.schedule, (value) => code`${imports.use("scheduleSettings")}(${value})`);
  add("capture", plan.capture, (value) => code`${imports.use("startCapture")}(${value})`);
  const { network: policy } = plan;
  if (policy !== undefined) fields.push((inner) => startPolicy(policy, network, m, at(inner, m, `${name}.network`)));
  return reader(fields, m);
}

/** The paths of fields in the YAML that differ from their own names. */
const paths: Readonly<Record<string, string>> = { mcp: "mcp.enabled", metrics: "expose_metrics" };

function startPolicy(
  policy: NonNullable<InterfaceStartPlan["network"]>,
  network: Code | undefined,
  { imports }: ModulePlace,
  p: ExprPlace,
): Code {
  const parts: Code[] = [];
  if (policy.limited) parts.push(code`counts: ${imports.use("networkCounts")}`);
  if (policy.places) parts.push(code`places: ${imports.use("networkPlaces")}`);
  const args = [
    policy.own === undefined ? code`undefined` : expr(policy.own, p),
    policy.inherits && network !== undefined ? code`${network}(cx, field)` : code`undefined`,
    parts.length === 0 ? code`{}` : code`{ ${list(parts)} }`,
  ];
  return code`network: ${imports.use("startPolicy")}(${list(args)})`;
}

/** `start` of the configuration. */
export function startOfConfig(plan: ConfigStartPlan | undefined, m: ModulePlace): Code | undefined {
  const { network: _, settings = [], ...rest } = plan ?? {};
  const fields = Object.entries(rest).map(
    ([key, of]: [string, Expr]) =>
      (inner: ExprPlace) =>
        code`${property(key)}: ${whole(key, expr(of, at(inner, m, paths[key] ?? key)), of, m)}`,
  );
  if (settings.length > 0)
    fields.push((inner) => {
      const items = settings.map(
        ([name, kind, of]) =>
          (deep: ExprPlace) =>
            code`${property(name)}: ${completed(kind, expr(of, at(deep, m, name)), m)}`,
      );
      return code`settings: ${block("{", items, "}", inner)}`;
    });
  return fields.length === 0 ? undefined : reader(fields, m);
}

/** Prints a field of the configuration with the check or conversion that it needs. */
function whole(key: string, value: Code, of: Expr, m: ModulePlace): Code {
  if (key === "docs") return code`${value} === true`;
  if (key !== "mcp_servers") return value;
  // An error of two default servers is reported at the line of the last marker.
  const last = exprsIn(of, "start").at(-1)?.at;
  if (last !== undefined) m.keepPlace(key, last);
  return code`${m.imports.use("startServers")}(${value}, field)`;
}

function completed(kind: "retry" | "level" | "value", value: Code, { imports }: ModulePlace): Code {
  switch (kind) {
    case "retry":
      return code`${imports.use("retrySettings")}(${value})`;
    case "level":
      return code`${imports.use("logLevel")}(${value})`;
    case "value":
      return value;
  }
}

const reader = (fields: readonly ((inner: ExprPlace) => Code)[], m: ModulePlace): Code =>
  code`start: (cx, field) => (${block("{", fields, "}", placeOf(m, ""))})`;

/** Prints a setting in place of a literal: the value that was read under this name. */
export const settingOf = (value: { readonly started: string }, imports: ExprPlace["imports"]): Code =>
  code`${imports.use("setting")}(cx, ${lit(value.started)})`;

function outside(name: string): never {
  throw new Error(`action ${name} is read at the start`);
}
