import { captured } from "../admin/interfaces.ts";
import type { Watched } from "../admin/watched.ts";
import { cursorText, readQuery } from "../capture/query.ts";
import { cronTimes } from "../languages/cron.ts";
import type { Schedule } from "../plan/index.ts";
import type { JsonObject } from "../value/json.ts";
import type { ConsoleFacts } from "./facts.ts";

/** The number of coming times of a schedule that the map shows. */
const ticks = 3;

/** A page of the map, or the wrong parameter. */
export function mapPage(facts: ConsoleFacts, params: ReadonlyMap<string, string>, watched: Watched): JsonObject | string {
  const foreign = [...params.keys()].find((name) => name !== "limit" && name !== "cursor");
  if (foreign !== undefined) return `${JSON.stringify(foreign.slice(0, 64))} must be one of limit, cursor`;
  const query = readQuery(params, watched.host.now());
  if ("problem" in query) return `${query.parameter} ${query.problem}`;
  const { limit, cursor: from = 0 } = query;
  const served = new Map(
    watched.configs.flatMap((config) => config.interfaces.map((target) => [keyOf(config.name, target.name), { config, target }])),
  );
  const chosen = facts.map.slice(from, from + limit);
  const { organisation, environment } = watched.host;
  const interfaces = chosen.map((entry): JsonObject => {
    const now = served.get(keyOf(entry.config, entry.interface));
    // The facts are plain data, made to be sent.
    const entryFacts = entry as unknown as JsonObject;
    const capture = now === undefined ? { capture: null } : captured(watched.host, now.config, now.target);
    return { ...entryFacts, ...capture, served: now !== undefined, ...scheduled(now?.target.schedule, watched.host.now()) };
  });
  const next = from + limit < facts.map.length ? from + limit : null;
  return { organisation, environment, total: facts.map.length, interfaces, next: cursorText(next) };
}

export const keyOf = (config: string, target: string): string => JSON.stringify([config, target]);

/** The next times at which an interface runs, in ISO 8601. */
function scheduled(schedule: Schedule | undefined, now: number): JsonObject {
  if (schedule === undefined) return {};
  const next = cronTimes(schedule.cron, schedule.timezone ?? "UTC");
  const times: string[] = [];
  for (let time = next(now); time !== undefined && times.length < ticks; time = next(time)) times.push(new Date(time).toISOString());
  return { next_runs: times };
}
