import type { Config, Interface } from "../run/interface.ts";
import type { JsonObject } from "../value/json.ts";
import type { Watched } from "./watched.ts";

/** The interfaces of a process in the order of the configurations: how callers reach them, and whether they are recorded. */
export const listInterfaces = ({ host, configs }: Pick<Watched, "host" | "configs">): JsonObject[] =>
  configs.flatMap((config) => config.interfaces.map((target) => ({ ...described(config, target), ...captured(host, config, target) })));

function described(config: Config, target: Interface): JsonObject {
  const { name, output, http, respond, schedule, ws, mqtt, mcp, network } = target;
  return {
    config: config.name,
    interface: name,
    output,
    ...(http === undefined ? {} : { method: http.method, route: http.route }),
    ...(respond === undefined ? {} : { respond }),
    ...(schedule === undefined ? {} : { schedule: { cron: schedule.cron, timezone: schedule.timezone ?? "UTC" } }),
    ...(ws === undefined ? {} : { ws }),
    ...(mqtt === undefined ? {} : { mqtt }),
    ...(ws === undefined && mqtt === undefined
      ? {}
      : { public: target.public === true, subscribe_authorizer: target.subscribe_authorizer ?? null }),
    ...(mcp === undefined ? {} : { mcp: { tool: mcp.name, server: mcp.server ?? null } }),
    // The rules of the policy are only for readers of the configuration.
    network: network !== undefined,
  };
}

/** Tells whether runs of an interface are being recorded. */
export function captured(host: Watched["host"], config: Config, target: Interface): JsonObject {
  const { capture } = target;
  if (capture === undefined) return { capture: null };
  const { mode, for_minutes, for_runs } = capture;
  return {
    capture: {
      mode,
      ...(for_minutes === undefined ? {} : { for_minutes }),
      ...(for_runs === undefined ? {} : { for_runs }),
      open: capture.isOpen(host, config, target),
    },
  };
}
