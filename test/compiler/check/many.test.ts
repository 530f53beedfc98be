import { expect, test } from "vitest";
import { planTexts } from "../../../compiler/pipeline.ts";

// A check takes time in proportion to the text: with the square of what it holds, these would take minutes.

const count = 20_000;

test("a text of many markers", () => {
  const text = `name: m\ninterfaces: { a: { actions: [{ name: A, json_output: "${"a|body::x|".repeat(count)}" }] } }\n`;
  expect(planTexts([{ file: "config.yaml", text }]).failed).toBe(false);
}, 60_000);

test("actions that wait for each other in a long chain, and one that waits for all", () => {
  const names = Array.from({ length: count / 5 }, (_, i) => `A${i}`);
  const chain = names.map((name, i) =>
    i === 0
      ? `      - { name: ${name}, input: a|body| }\n`
      : `      - { name: ${name}, run_when_succeeded: [${names[i - 1]}], input: a|${names[i - 1]}::x| }\n`,
  );
  const last = `      - { name: Z, run_when_succeeded: [${names.join(", ")}], json_output: [${names.map((name) => `a|${name}|`).join(", ")}] }\n`;
  const text = `name: m\ninterfaces:\n  a:\n    actions:\n${chain.join("")}${last}`;
  expect(planTexts([{ file: "config.yaml", text }]).failed).toBe(false);
}, 60_000);

test("routes of which each overlaps with many", () => {
  const routes = Array.from({ length: count / 20 }, (_, i) => [`/:a/s${i}`, `/t${i}/:b`, `/r/:a/s${i}/:b`]).flat();
  const interfaces = routes.map((route, i) => `  i${i}: { method: GET, route: "${route}", actions: [{ name: A, json_output: 1 }] }\n`);
  const { failed, diagnostics } = planTexts([{ file: "config.yaml", text: `name: m\ninterfaces:\n${interfaces.join("")}` }]);
  expect(failed).toBe(false);
  expect(diagnostics.filter(({ code }) => code === "PW331").length).toBe(100);
}, 60_000);

test("a map of many unknown keys", () => {
  const text = `name: m\n${Array.from({ length: count }, (_, i) => `k${i}: 1\n`).join("")}`;
  expect(planTexts([{ file: "config.yaml", text }]).failed).toBe(true);
}, 60_000);
