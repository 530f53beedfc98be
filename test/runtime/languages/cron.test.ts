import { describe, expect, test } from "vitest";
import { cronTimes } from "#runtime/languages/cron.ts";
import { isTimeZone, readCron } from "#runtime/languages/cron-fields.ts";

// Times of schedules (spec/surfaces 2): what a rule may say, and what becomes of it when clocks are changed.

describe("a rule", () => {
  test.each([
    ["* * * * *", "* * * * *"],
    ["*/20 0 1 JAN mon", "0,20,40 0 1 1 1"],
    ["5,10-12 8-18/5 * jan-mar 1-5", "5,10,11,12 8,13,18 * 1,2,3 1,2,3,4,5"],
    ["0 0 * * 7", "0 0 * * 0"],
    ["0 0 * * 0,7,sun", "0 0 * * 0"],
    ["0 0 * * FRI-SUN", "0 0 * * 0,5,6"],
    ["0 0 * * */2", "0 0 * * 0,2,4,6"],
    ["  0\t0  29 2 * ", "0 0 29 2 *"],
    ["0 0 31 2 1", "0 0 31 2 1"],
    ["0 0 */1 */01 1", "0 0 * * 1"],
    ["*/59 */23 */30 */11 */6", "0,59 0,23 1,31 1,12 0,6"],
    ["10-20/15 * * * *", "10 * * * *"],
  ])("%j is read", (text, plain) => {
    expect(readCron(text)).toMatchObject({ plain });
  });

  test.each([
    "",
    "@daily",
    "* * * *",
    "0 * * * * *",
    "60 * * * *",
    "* 24 * * *",
    "* * 0 * *",
    "* * 32 * *",
    "* * * 13 *",
    "* * * * 8",
    "* * L * *",
    "* * 15W * *",
    "* * * * 5#2",
    "* * * * MON-FRI-SUN",
    "* * * MON *",
    "*/0 * * * *",
    "5/10 * * * *",
    "*/61 * * * *",
    "*/90 * * * *",
    "0 */25 * * *",
    "0 0 * * */8",
    "30-10 * * * *",
    "1,,2 * * * *",
    "-1 * * * *",
    "1.5 * * * *",
    "? * * * *",
    "0 0 30 2 *",
    "0 0 31 4,6,9,11 *",
    `${"0,".repeat(600)}0 * * * *`,
  ])("%j is none", (text) => {
    expect(readCron(text)).toBeTypeOf("string");
  });

  test("zones are names", () => {
    expect(["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires"].filter((name) => !isTimeZone(name))).toEqual([]);
    expect(["", "+02:00", "Berlin", "Europe/Nowhere", "UTC+1"].filter(isTimeZone)).toEqual([]);
  });
});

/** The next times after an instant, as UTC. */
function times(rule: string, zone: string, after: string, count: number): readonly string[] {
  const next = cronTimes(rule, zone);
  const found: string[] = [];
  for (let at = next(Date.parse(after)); at !== undefined && found.length < count; at = next(at))
    found.push(new Date(at).toISOString().slice(0, 16));
  return found;
}

describe("times", () => {
  test("are after the instant, and of the zone", () => {
    expect(times("0 2 * * *", "UTC", "2026-01-01T02:00:00Z", 1)).toEqual(["2026-01-02T02:00"]);
    expect(times("0 2 * * *", "UTC", "2026-01-01T01:59:59.999Z", 1)).toEqual(["2026-01-01T02:00"]);
    expect(times("0 2 * * *", "Asia/Kolkata", "2026-01-01T00:00:00Z", 1)).toEqual(["2026-01-01T20:30"]);
  });

  test("day and weekday both given: either fits", () => {
    expect(times("0 0 13 * 5", "UTC", "2026-01-01T00:00:00Z", 3)).toEqual(["2026-01-02T00:00", "2026-01-09T00:00", "2026-01-13T00:00"]);
  });

  test("29 February is waited for", () => {
    expect(times("0 0 29 2 *", "America/New_York", "2026-04-04T12:00:00Z", 2)).toEqual(["2028-02-29T05:00", "2032-02-29T05:00"]);
  });

  test("what a change leaves out comes once, at the first instant after the gap", () => {
    expect(times("0,30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 2)).toEqual(["2026-03-29T01:00", "2026-03-30T00:00"]);
    expect(times("30 2,3 * * *", "Europe/Berlin", "2026-03-29T00:59:00Z", 2)).toEqual(["2026-03-29T01:00", "2026-03-29T01:30"]);
    expect(times("0 3 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 2)).toEqual(["2026-03-29T01:00", "2026-03-30T01:00"]);
  });

  test("what a change repeats comes once, the first time", () => {
    expect(times("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 2)).toEqual(["2026-10-25T00:30", "2026-10-26T01:30"]);
    // Begun in the middle of it.
    expect(times("45 2 * * *", "Europe/Berlin", "2026-10-25T01:10:00Z", 1)).toEqual(["2026-10-26T01:45"]);
    expect(times("0 3 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 1)).toEqual(["2026-10-25T02:00"]);
    // Half an hour is repeated.
    expect(times("15,45 1 * * *", "Australia/Lord_Howe", "2026-04-04T13:50:00Z", 3)).toEqual([
      "2026-04-04T14:15",
      "2026-04-04T14:45",
      "2026-04-05T14:45",
    ]);
  });

  test("a rule of * follows real time", () => {
    expect(times("*/30 * * * *", "Europe/Berlin", "2026-03-29T00:00:00Z", 3)).toEqual([
      "2026-03-29T00:30",
      "2026-03-29T01:00",
      "2026-03-29T01:30",
    ]);
    expect(times("30 * * * *", "Europe/Berlin", "2026-10-24T23:59:00Z", 3)).toEqual([
      "2026-10-25T00:30",
      "2026-10-25T01:30",
      "2026-10-25T02:30",
    ]);
  });
});

test.each([
  ["*/60 * * * *", "0 * * * *"],
  ["0 */24 * * *", "0 0 * * *"],
  ["0 0 1 */12 *", "0 0 1 1 *"],
  ["0 0 * * */7", "0 0 * * 0"],
])("a step of %s as long as its field leaves the first value", (text, same) => {
  const [read, first] = [readCron(text), readCron(same)];
  expect(typeof read === "string" ? read : read.plain).toBe(typeof first === "string" ? first : first.plain);
});
