import { expect, test } from "vitest";
import { planTexts } from "../../../compiler/pipeline.ts";

// A check takes time in proportion to the text: with the square of what it holds, these would take minutes.

const count = 20_000;

test("a text of many markers", () => {
  const text = `name: m\ninterfaces: { a: { actions: [{ name: A, json_output: "${"a|body::x|".repeat(count)}" }] } }\n`;
  expect(planTexts([{ file: "config.yaml", text }]).failed).toBe(false);
}, 60_000);

test("a map of many unknown keys", () => {
  const text = `name: m\n${Array.from({ length: count }, (_, i) => `k${i}: 1\n`).join("")}`;
  expect(planTexts([{ file: "config.yaml", text }]).failed).toBe(true);
}, 60_000);
