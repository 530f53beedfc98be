import type { Schedule } from "#runtime/plan/attempts.ts";
import type { PolicyPlan, RulesPlan } from "#runtime/plan/policies.ts";
import { visible } from "#runtime/value/visible.ts";
import { askedEnvironment, failed, planProject, type Terminal } from "./project.ts";
import { status } from "./status.ts";
import { table } from "./table.ts";

export interface RoutesOptions {
  readonly format: "text" | "json";
  readonly env?: string;
}

/** Table of triggers: method, path, interface, network policy, file:line. */
export function routes(paths: readonly string[], options: RoutesOptions, terminal: Terminal): number {
  const { format } = options;
  const organisation = terminal.env.PIPEWRIGHT_ORG || "local";
  const environment = askedEnvironment(options, terminal) ?? "<environment>";
  const planned = planProject(paths, terminal);
  if (failed(planned, terminal, { format })) return status.failed;
  const rows = planned.plans.flatMap((config) =>
    config.interfaces.map((target) => ({
      method: target.route === undefined ? "" : target.method,
      path: target.route ?? `(${target.output})`,
      ...(target.schedule === undefined ? {} : { schedule: target.schedule }),
      ...(target.idle === undefined ? {} : { idle: target.idle }),
      ...(target.ws === undefined ? {} : { ws: `/ws/${organisation}/${environment}/${target.name}` }),
      ...(target.mqtt === undefined ? {} : { mqtt: `${environment}/${target.name}/${target.mqtt}` }),
      ...(target.mcp === undefined ? {} : { tool: target.mcp.name, server: target.mcp.server ?? "" }),
      interface: target.name,
      policy: policyOf(target.network, config.network),
      config: config.name,
      file: config.file,
      line: target.at === undefined ? 1 : planned.sources.lines(config.file).at(target.at.start).line,
    })),
  );
  if (format === "json") terminal.out(visible(`${JSON.stringify({ routes: rows }, null, 2)}\n`));
  else
    terminal.out(
      table([
        ["METHOD", "PATH", "INTERFACE", "POLICY", "WHERE"],
        ...rows.flatMap((row) => {
          const where = [row.interface, row.policy.join(", ") || "-", `${row.file}:${row.line}`];
          const besides = triggersOf(row).map((trigger) => [...trigger, ...where]);
          return row.method === "" && besides.length > 0 ? besides : [[row.method, row.path, ...where], ...besides];
        }),
      ]),
    );
  return status.done;
}

/** A trigger besides a request of its own that runs an interface, in the columns of method and path. */
interface Triggered {
  readonly schedule?: Schedule;
  readonly idle?: { readonly cron: string; readonly timezone?: string; readonly state: string };
  readonly ws?: string;
  readonly mqtt?: string;
  readonly tool?: string;
  readonly server?: string;
}

function triggersOf({ schedule, idle, ws, mqtt, tool, server }: Triggered): string[][] {
  const triggers: string[][] = [];
  if (schedule !== undefined) triggers.push(["schedule", `${schedule.cron} ${schedule.timezone ?? "UTC"}`]);
  if (idle !== undefined) triggers.push(["schedule", `${idle.cron} ${idle.timezone ?? "UTC"} ${idle.state}`]);
  if (ws !== undefined) triggers.push(["ws", ws]);
  if (mqtt !== undefined) triggers.push(["mqtt", mqtt]);
  if (tool !== undefined) triggers.push(["mcp", `/mcp${server === "" ? "" : `/${server}`} ${tool}`]);
  return triggers;
}

/** The rules of an interface, its own and the inherited ones: `ip`, `geo`, `asn`, `rate_limit`; `monitor` when they only watch. */
function policyOf(policy: PolicyPlan | undefined, above: RulesPlan | undefined): string[] {
  if (policy === undefined) return [];
  const levels = [policy.inherits === true ? above : undefined, policy.rules];
  const kinds = (["ip", "geo", "asn", "rate_limit"] as const).filter((kind) => levels.some((rules) => rules?.[kind] !== undefined));
  return kinds.length > 0 && policy.mode === "monitor" ? [...kinds, "monitor"] : kinds;
}
