import { expect, test } from "vitest";
import { planTexts } from "../../../compiler/pipeline.ts";
import { compare } from "../../../compiler/review/compare.ts";
import { type Reviewed, reviewedOf } from "../../../compiler/review/facts.ts";

// Where no contract says what an answer is, `diff` judges by the shape that follows from the actions.

function reviewed(rest: string): readonly Reviewed[] {
  const text = `name: a\nglobal: { databases: { main: { driver: sqlite, conn_string: "sqlite::memory:" } } }\ninterfaces:\n  orders:\n    method: GET\n${rest}`;
  const { plans, diagnostics } = planTexts([{ file: "a.yaml", text }]);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  return reviewedOf(plans);
}

/** Everything that is said of the contract. */
const said = (before: readonly Reviewed[], after: readonly Reviewed[]): readonly string[] =>
  compare(before, after)
    .filter(({ facet }) => facet === "contract")
    .map(({ severity, text }) => `${severity}: ${text}`);

const gives = (json: string, rest = ""): readonly Reviewed[] =>
  reviewed(`    actions: [{ name: A, json_output: ${json} }]\n    response: { custom_body: a|A| }\n${rest}`);

const selects = (columns: string): readonly Reviewed[] =>
  reviewed(`    actions: [{ name: Load, database: main, query: "SELECT ${columns} FROM t" }]\n`);

test.each<[string, string, string, readonly string[]]>([
  ["another value", "{ a: 1 }", "{ a: 2 }", []],
  ["a member that is gone", "{ a: 1, b: 2 }", "{ b: 2 }", ["breaking: answer `/a` is gone"]],
  ["a new member", "{ b: 2 }", "{ a: 1, b: 2 }", ["changed: answer `/a` is new"]],
  ["another type", "{ a: 1 }", "{ a: x }", ["breaking: answer `/a` is string, was number"]],
  ["a wider type", "{ a: 1 }", "{ a: 'a|env::A->default(1)|' }", ["breaking: answer `/a` is number or string, was number"]],
  ["a narrower type", "{ a: 'a|env::A->default(1)|' }", "{ a: 1 }", ["changed: answer `/a` is number, was number or string"]],
  ["a list in place of a value", "{ a: 1 }", "{ a: [1] }", ["breaking: answer `/a` is array, was number"]],
  [
    "members of a list",
    "{ a: [{ x: 1, y: 2 }] }",
    "{ a: [{ y: z }] }",
    ["breaking: answer `/a/*/x` is gone", "breaking: answer `/a/*/y` is string, was number"],
  ],
  ["a member that becomes open", "{ a: { x: 1 } }", "{ a: a|body| }", []],
  ["a member that was open", "{ a: a|body| }", "{ a: { x: 1 } }", []],
  ["an answer that becomes open", "{ a: 1 }", "a|body|", []],
  ["an answer that was open", "a|body|", "{ a: 1 }", []],
  ["a list that was empty", "{ a: [] }", "{ a: [1] }", []],
  ["a member of any name", "{ __proto__: 1, constructor: 2 }", "{ constructor: 2 }", ["breaking: answer `/__proto__` is gone"]],
])("%s", (_, before, after, lines) => {
  expect(said(gives(before), gives(after))).toEqual(lines);
});

test("columns of a query", () => {
  expect(said(selects("id, name"), selects("id"))).toEqual(["breaking: answer `/data/Load/data/*/name` is gone"]);
  expect(said(selects("id"), selects("id, name"))).toEqual(["changed: answer `/data/Load/data/*/name` is new"]);
  expect(said(selects("id"), selects("*"))).toEqual([]);
});

test("entries of the envelope", () => {
  const one = "{ name: A, json_output: { a: 1 } }";
  const other = "{ name: B, json_output: { b: 1 } }";
  const both = reviewed(`    actions: [${one}, ${other}]\n`);
  const first = reviewed(`    actions: [${one}]\n`);
  expect(said(both, first)).toEqual(["breaking: answer `/data/B` is gone"]);
  // The new action is told by itself.
  expect(said(first, both)).toEqual([]);
  const hidden = reviewed(
    `    actions: [${one.replace(" }", ", hide_data_on_success: true }").replace("1, hide_data_on_success: true }", "1 }, hide_data_on_success: true")}]\n`,
  );
  expect(said(first, hidden)).toEqual(["breaking: answer `/data/A/data` may be missing"]);
});

test("a contract stands before what follows from the actions", () => {
  const produces = "    produces: { schema: { type: object, properties: { a: { type: number } } } }\n";
  expect(said(gives("{ a: 1 }", produces), gives("{ b: 1 }", produces))).toEqual([]);
  expect(said(gives("{ a: 1 }"), gives("{ b: 1 }", produces)).some((line) => line.startsWith("breaking"))).toBe(false);
});

test("tests of an answer are a part of its shape", () => {
  const tested = (test: string, json = "{ id: a|headers::x|, b: 1 }") => gives(json, `    assert: { tests: [${test}] }\n`);
  const isText = "{ value: id, is_string: true }";
  expect(said(tested(isText), tested(isText))).toEqual([]);
  // The answer may be that of a failed action now, whose data are null.
  expect(said(tested(isText), gives("{ id: a|headers::x|, b: 1 }"))).toEqual(["breaking: answer `/` is null or object, was object"]);
  expect(said(tested(isText), tested("{ value: id, is_number: true }"))).toEqual(["breaking: answer `/id` is number, was string"]);
  expect(said(tested(isText), tested(isText, "{ id: a|headers::x| }"))).toEqual(["breaking: answer `/b` is gone"]);
});
