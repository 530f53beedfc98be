import { expect, test } from "vitest";
import { prepare } from "#runtime/features/matchers/like.ts";
import { prepare as prepareSize } from "#runtime/features/matchers/size_limit.ts";

// Bounds of texts that data may give as operands.

test("a pattern of like has at most 1,000,000 characters", () => {
  expect(prepare("%a".repeat(500_000)).parts).toHaveLength(500_001);
  expect(() => prepare("a".repeat(1_000_001))).toThrow("a pattern is over the limit of 1000000 characters");
});

test("the text of a size has at most 100 characters", () => {
  expect(prepareSize(`1${" ".repeat(97)}KB`).bytes).toBe(1024);
  expect(() => prepareSize(`1${" ".repeat(98)}KB`)).toThrow("expected a size such as 10KB");
});
