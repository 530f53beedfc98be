import { isTimeZone, readCron } from "#runtime/lib/cron-fields.ts";
import type { Schedule } from "#runtime/plan.ts";
import { flag, get, type Node, numberOf, scalarText } from "../1-read/document.ts";
import { schedule as codes } from "../diagnostics/codes/schedule.ts";
import type { Report } from "../diagnostics/diagnostic.ts";

const numbers = ["max_attempts", "retry_backoff_seconds", "retry_backoff_multiplier", "max_backoff_seconds"] as const;

/** The `schedule` of an interface; its mistakes are told also while it is not enabled. */
export function planSchedule(node: Node | undefined, report: Report): Schedule | undefined {
  const [at, zone] = [get(node, "cron"), get(node, "timezone")];
  const [cron, timezone] = [scalarText(at), scalarText(zone)];
  if (at === undefined || cron === undefined) return undefined;
  const rule = readCron(cron);
  if (typeof rule === "string") report(codes.cron(cron, rule), at.span);
  if (zone !== undefined && timezone !== undefined && !isTimeZone(timezone)) report(codes.timezone(timezone), zone.span);
  if (!flag(node, "enabled")) return undefined;
  const given = numbers.flatMap((key) => {
    const value = numberOf(get(node, key));
    return value === undefined ? [] : [[key, value] as const];
  });
  return { cron, ...(timezone === undefined ? {} : { timezone }), ...Object.fromEntries(given) };
}
