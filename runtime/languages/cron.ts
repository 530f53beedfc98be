import { Cron } from "croner";
import { readCron } from "./cron-fields.ts";

const day = 86_400_000;
const second = 1_000;

/** The first time after `after`, in Unix milliseconds; undefined when there is none. */
export type NextTime = (after: number) => number | undefined;

/**
 * The times of a rule in a time zone (spec/surfaces 2). Through a change of the clock a rule whose minute or hour begins with `*` follows
 * real time. For any other rule, a time that the change leaves out comes once, at the first instant after the gap; a time that the change
 * repeats comes only the first time. Throws when the rule or the time zone is not valid.
 */
export function cronTimes(text: string, timezone: string): NextTime {
  const rule = readCron(text);
  if (typeof rule === "string") throw new Error(`schedule '${text}': ${rule}`);
  const cron = new Cron(rule.plain, { timezone: "UTC", paused: true });
  const offset = offsetOf(timezone);
  /** The first time on the clock on the wall that is not before `wall`. */
  const onWall = (wall: number): number | undefined => cron.nextRun(new Date(Math.ceil(wall / second) * second - second))?.getTime();
  return (after) => {
    let from = after + 1;
    let wall = from + offset(from);
    // A time that the clock on the wall shows for the second time has already had its run.
    if (!rule.isRegular) wall = Math.max(wall, latestShown(from, offset));
    for (;;) {
      const ahead = offset(from);
      const next = onWall(wall);
      if (next === undefined) return undefined;
      const change = firstChange(from, next - ahead, offset);
      if (change === undefined) return next - ahead;
      const [before, behind] = [change + ahead, change + offset(change)];
      if (next < before) return next - ahead;
      if (!rule.isRegular && behind > before && next < behind) return change;
      from = change;
      wall = rule.isRegular ? behind : Math.max(before, behind);
    }
  };
}

/**
 * The latest time that the clock on the wall has shown before now. After the clock was put back that is the time of the change. Changes are
 * at most three hours.
 */
function latestShown(now: number, offset: (at: number) => number): number {
  const earlier = now - 3 * 3_600_000;
  const change = firstChange(earlier, now, offset);
  return change === undefined ? Number.NEGATIVE_INFINITY : change + offset(change - 1);
}

/** The first instant from which the offset is another one than at `from`, not after `to`. A day has at most one. */
function firstChange(from: number, to: number, offset: (at: number) => number): number | undefined {
  const old = offset(from);
  let low = from;
  while (low < to) {
    const high = Math.min(low + day, to);
    if (offset(high) !== old) return bisect(low, high, (at) => offset(at) !== old);
    low = high;
  }
  return undefined;
}

/** The least instant in (low, high] for which the condition holds, as a whole second. */
function bisect(low: number, high: number, isSo: (at: number) => boolean): number {
  let [no, yes] = [Math.floor(low / second), Math.ceil(high / second)];
  while (yes - no > 1) {
    const middle = Math.floor((no + yes) / 2);
    if (isSo(middle * second)) yes = middle;
    else no = middle;
  }
  return yes * second;
}

/** How far the wall of a zone is ahead of UTC at an instant, in milliseconds. */
function offsetOf(timezone: string): (at: number) => number {
  if (timezone === "UTC") return () => 0;
  const format = new Intl.DateTimeFormat("en-US", { timeZone: timezone, timeZoneName: "longOffset" });
  return (at) => {
    const name = format.formatToParts(at).find(({ type }) => type === "timeZoneName")?.value ?? "";
    const [, sign, hours = 0, minutes = 0, seconds = 0] = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name) ?? [];
    const ms = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * second;
    return sign === "-" ? -ms : ms;
  };
}
