import { describe, expect, test } from "vitest";
import { parseTimestamp, timestamp } from "../../../runtime/value/timestamp.ts";
import { clock } from "../../compiler/plan/lowering.ts";

test.each([
  ["s", 1709209815],
  ["ms", 1709209815250],
  ["ns", "1709209815250000000"],
  ["s-300", 1709209515],
  ["ms+5", 1709209815255],
  ["ns+5", "1709209815250000005"],
  ["s+1h", 1709213415],
  ["dateutc", "2024-02-29"],
  ["dateutc+1d", "2024-03-01"],
  ["dateutc-60day", "2023-12-31"],
  ["datetimeutc", "2024-02-29T12:30:15"],
  ["datetimeutctz", "2024-02-29T12:30:15Z"],
  ["datetimeutctz+750", "2024-02-29T12:30:16Z"],
  ["utcyear", 2024],
  ["utcmonth", 2],
  ["utcday", 29],
  ["utchour", 12],
  ["utcminute+1min", 31],
  ["utcsecond", 15],
])("%s", (format, expected) => {
  expect(timestamp(clock, format)).toBe(expected);
});

test("local formats agree with the zone of the process", () => {
  const date = new Date(clock);
  expect(timestamp(clock, "hour")).toBe(date.getHours());
  expect(timestamp(clock, "datetimetz")).toMatch(/^2024-02-\d\dT\d\d:\d\d:15[+-]\d\d:\d\d$/);
  expect(Date.parse(String(timestamp(clock, "datetimetz")))).toBe(Math.floor(clock / 1000) * 1000);
});

test("before 1970 a second is still rounded down", () => {
  expect(timestamp(-1, "s")).toBe(-1);
  expect(timestamp(0, "ms-1ns")).toBe(-1);
});

describe("PW204", () => {
  test.each(["iso", "", "S", "s+", "s+5parsec", "utcdate", "datetimeutcz", "s+99999999999999999d", "constructor", "s+1constructor"])(
    "%s",
    (format) => {
      expect(parseTimestamp(format)).toBeUndefined();
    },
  );
});
