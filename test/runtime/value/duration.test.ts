import { expect, test } from "vitest";
import { durationProblem } from "#runtime/value/duration.ts";
import { milliseconds } from "#runtime/value/values.ts";

// A duration that data bring (spec/language 2.7).

test("a text of many parts is no duration", () => {
  expect(milliseconds("2ms ".repeat(250), "delay")).toBe(500);
  for (const text of ["2ms ".repeat(251), "1h".repeat(5_000_000)]) {
    expect(() => milliseconds(text, "delay")).toThrow(/^field delay: expected duration, got '.{1,210}'$/u);
    expect(durationProblem(text)).toBe("a duration has at most 1000 characters");
  }
});
