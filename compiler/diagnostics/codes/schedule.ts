import { error, suggestion, warning } from "./code.ts";

/** 67x: when an interface runs by itself (spec/surfaces 2). */
export const schedule = {
  cron: error(
    "PW670",
    (text: string, reason: string, rule?: string) => ({
      message: `'${text}' is no schedule`,
      hint: rule === undefined ? reason : `write "${rule}"`,
      instead: rule === undefined ? undefined : `"${rule}"`,
    }),
    {
      means:
        "A schedule has five fields: minute 0-59, hour 0-23, day 1-31, month 1-12 or JAN-DEC, weekday 0-7 or SUN-SAT. A field is * or a list of values and ranges; * and ranges may have a step. There are no seconds, no L, W or #.",
      wrong: 'schedule: { cron: "0 0 3 * * *", enabled: true }',
      right: 'schedule: { cron: "0 3 * * *", enabled: true }',
    },
  ),
  off: warning(
    "PW655",
    () => ({ message: "the schedule is off until enabled: true", hint: "enabled: false says that it is meant to be off" }),
    {
      means:
        "A schedule without `enabled` does not run. `enabled: true` switches it on, `enabled: false` says that it is off on purpose, and a marker such as `a|env::SCHEDULES->default(false)|` leaves it to the environment.",
      wrong: 'schedule: { cron: "0 3 * * *" }',
      right: 'schedule: { cron: "0 3 * * *", enabled: true }',
    },
  ),
  timezone: error(
    "PW671",
    (text: string, nearest?: string) => {
      const { words, instead } = suggestion(nearest);
      return { message: `'${text}' is no time zone${words}`, hint: "a name of the IANA data base, such as Europe/Berlin", instead };
    },
    {
      means: "The time zone of a schedule is called by its name in the IANA data base; offsets such as +02:00 know no summer time.",
      wrong: 'schedule: { cron: "0 3 * * *", timezone: CEST, enabled: true }',
      right: 'schedule: { cron: "0 3 * * *", timezone: Europe/Berlin, enabled: true }',
    },
  ),
};
