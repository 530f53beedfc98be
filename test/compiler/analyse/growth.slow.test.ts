import { expect, test } from "vitest";
import { planTexts } from "../../../compiler/pipeline.ts";

// Configurations that are large, or made to be: each took minutes, and a test that takes so long has failed.

const many = (count: number, action: (i: number) => string): string =>
  `name: large\ninterfaces:\n  i:\n    method: POST\n    actions:\n${Array.from({ length: count }, (_, i) => `      - { name: A${i}, ${action(i)} }\n`).join("")}`;

const codesOf = (text: string): readonly string[] => planTexts([{ file: "large.yaml", text }]).diagnostics.map(({ code }) => code);

test("thousands of actions, each behind all the ones before it", () => {
  expect(codesOf(many(3_000, () => "json_output: { id: 1, name: a|body::name| }"))).toEqual([]);
});

test("thousands of actions beside a loop, each of which waits for all before it", () => {
  const list = many(2_500, (i) => (i === 1 ? "lookup: a|body|, actions: [{ name: B, json_output: a|body| }]" : "json_output: 1"));
  expect(codesOf(list)).toEqual([]);
});

test("a secret that each action puts into its data twice", () => {
  const text = many(300, (i) =>
    i === 0 ? "json_output: { key: a|secret::KEY| }" : `hide_action: true, json_output: { one: a|A${i - 1}|, other: a|A${i - 1}| }`,
  );
  expect(codesOf(text)).toEqual(["PW283"]);
});

test("the middle of a long way is left out", () => {
  const text = many(40, (i) =>
    i === 0 ? "hide_action: true, input: a|secret::KEY|" : `${i < 39 ? "hide_action: true, " : ""}input: a|A${i - 1}|`,
  );
  const [found] = planTexts([{ file: "large.yaml", text }]).diagnostics;
  expect(found?.message).toMatch(/^the secret KEY reaches the answer: action A0 -> action A1 -> .* -> … -> .* -> action A39$/);
  expect(found?.message.split(" -> ")).toHaveLength(13);
});

const circles: readonly (readonly [what: string, action: (i: number) => string, codes: readonly string[]])[] = [
  ["in one circle", (i) => `json_output: 1, run_when_succeeded: [A${(i + 1) % 2_500}]`, ["PW306"]],
  ["behind a circle", (i) => `json_output: 1${i === 0 ? ", run_when_succeeded: [A1]" : ""}`, ["PW306"]],
  ["each of which waits for the next", (i) => `json_output: 1, depends_on: [${i < 2_499 ? `A${i + 1}` : ""}]`, []],
  ["in circles of two", (i) => `json_output: 1, run_when_succeeded: [A${i ^ 1}]`, Array.from({ length: 100 }, () => "PW306")],
];

test.each(circles)("thousands of actions %s", (_, action, codes) => {
  expect(codesOf(many(2_500, action))).toEqual(codes);
});

const variables = (count: number, value: (i: number) => string): string =>
  `name: v\nglobal:\n  variables:\n${Array.from({ length: count }, (_, i) => `    V${i}: ${value(i)}\n`).join("")}interfaces: { i: { method: GET, actions: [] } }\n`;

test("variables that each read the next two", () => {
  expect(codesOf(variables(200, (i) => (i < 198 ? `a|var::V${i + 1}|a|var::V${i + 2}|` : "x")))).toEqual([]);
});

test("many variables in one circle", () => {
  expect(codesOf(variables(500, (i) => `a|var::V${(i + 1) % 500}|`))).toEqual(["PW307"]);
});
