import { isTimeZone, readCron } from "#runtime/languages/cron-fields.ts";
import type { InterfacePlan, Schedule } from "#runtime/plan/index.ts";
import { scheduleSettings } from "#runtime/start/schedule.ts";
import { isObject } from "#runtime/value/json.ts";
import { type Entry, entry, flag, get, type Node, plain, scalarText } from "../../1-read/document.ts";
import { isStarted } from "../../2-check/started.ts";
import { schedule as codes } from "../../diagnostics/codes/schedule.ts";
import type { Report } from "../../diagnostics/diagnostic.ts";
import { nearest } from "../../diagnostics/nearest.ts";
import { cronFor } from "../../other-tools/schedules.ts";
import { present } from "../../present.ts";

/** A schedule that is off, or for which a marker decides when the process starts. */
export function planIdle(node: Node | undefined): InterfacePlan["idle"] {
  const cron = scalarText(get(node, "cron"));
  const timezone = scalarText(get(node, "timezone"));
  const state = isStarted(node) ? "at start" : flag(node, "enabled") ? undefined : "off";
  if (cron === undefined || state === undefined) return undefined;
  return { cron, ...present({ timezone }), state };
}

/**
 * The `schedule` of an interface; its mistakes are reported even when it is not enabled. Undefined when it is off, or when a marker decides
 * as the process starts.
 */
export function planSchedule(own: Entry | undefined, report: Report): Schedule | undefined {
  const node = own?.value;
  const [at, zone] = [get(node, "cron"), get(node, "timezone")];
  const [cron, timezone] = [scalarText(at), scalarText(zone)];
  if (own === undefined || node === undefined || at === undefined || cron === undefined) return undefined;
  const rule = isStarted(at) ? undefined : readCron(cron);
  if (typeof rule === "string") report(codes.cron(cron, rule, cronFor(cron)), at.span);
  if (zone !== undefined && timezone !== undefined && !isStarted(zone) && !isTimeZone(timezone))
    report(codes.timezone(timezone, nearest(timezone, Intl.supportedValuesOf("timeZone"))), zone.span);
  if (entry(node, "enabled") === undefined) report(codes.off(), own.keySpan);
  const settings = plain(node);
  return isStarted(node) || !isObject(settings) ? undefined : scheduleSettings({ ...settings, cron, timezone: timezone ?? null });
}
