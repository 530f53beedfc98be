import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { filters } from "../../../runtime/features/filters/index.ts";
import * as functions from "../../../runtime/printed/features.ts";
import { Failure } from "../../../runtime/value/failure.ts";
import { type Json, own } from "../../../runtime/value/json.ts";
import { clock } from "../../compiler/plan/lowering.ts";

function run(name: string, value: Json, ...args: Json[]): Json {
  const filter = own(filters, name);
  if (filter === undefined) throw new Error(`no filter ${name}`);
  return filter.run(value, args, clock);
}

test.each<[string, Json, Json[], Json]>([
  ["days_since", "2024-02-29", [], 0],
  ["days_since", "2024-02-28T12:30:15.250Z", [], 1],
  ["days_since", "2024-02-28T12:30:16Z", [], 0],
  ["days_since", "2024-02-28T13:30:15+01:00", [], 1],
  ["days_since", "2024-02-28 12:00", [], 1],
  ["days_since", "2024-03-02", [], -2],
  ["days_since", 1709123415, [], 1],
  ["days_since", 1709123415000, [], 1],
  ["days_since", "2023-02-29", [], null],
  ["days_since", "2024-02-29T25:00Z", [], null],
  ["days_since", "soon", [], null],
  ["days_since", true, [], null],
  ["days_since", null, [], null],
  ["to_string", 5, [], "5"],
  ["to_string", { a: 1 }, [], '{"a":1}'],
  ["to_string", null, [], ""],
  ["to_number", " -1.5e2 ", [], -150],
  ["to_number", true, [], 1],
  ["to_number", 7, [], 7],
  ["to_number", null, [], null],
  ["upper", "straße", [], "STRASSE"],
  ["upper", true, [], "TRUE"],
  ["upper", null, [], null],
  ["lower", "ÀbC", [], "àbc"],
  ["length", "a😀", [], 2],
  ["length", [1, 2], [], 2],
  ["length", { a: 1 }, [], 1],
  ["length", 1234, [], 4],
  ["length", null, [], 0],
  ["single_quote", "O'Hara", [], "'O''Hara'"],
  ["single_quote", null, [], "''"],
  ["double_quote", 'x"y', [], '"x\\"y"'],
  ["double_quote", 5, [], '"5"'],
  ["double_quote", null, [], null],
  ["json_esc", 'x"y\n', [], 'x\\"y\\n'],
  ["json_escape", null, [], null],
  ["json_stringify", { k: [1] }, [], '{"k":[1]}'],
  ["json_stringify", 5, [], '"5"'],
  ["json_stringify", null, [], "null"],
  ["tojson", 'x"y', [], '"x\\"y"'],
  ["json_array", [1, "a"], [], '[1,"a"]'],
  ["json_array", "a", [], '["a"]'],
  ["json_array", null, [], "[]"],
  ["array_values", [1, "a", null], [], '1, "a", null'],
  ["array_values", "a", [], '"a"'],
  ["array_values", [], [], ""],
  ["array_values", null, [], null],
  ["some", false, [], true],
  ["some", 0, [], true],
  ["some", "", [], false],
  ["some", [], [], false],
  ["some", {}, [], false],
  ["some", null, [], false],
  ["map", [{ id: 1 }, {}, 5], ["id"], [1, null, null]],
  ["map", [{ a: [1, 2] }], ["a.count()"], [2]],
  ["map", null, ["id"], null],
  ["wrap", "x", ["%"], "%x%"],
  ["prefix", 5, ["nr-"], "nr-5"],
  ["suffix", "x", [null], "x"],
  ["suffix", null, ["x"], null],
  ["join", [1, "a", null], ["-"], "1-a-"],
  ["join", "x", ["-"], "x"],
  ["join", null, ["-"], null],
  ["access", { "a.b": 1 }, ["a.b"], 1],
  ["access", [1, 2], [-1], 2],
  ["access", [1, 2], ["1"], 2],
  ["access", {}, ["constructor"], null],
  ["path", { a: { b: 2 } }, ["a.b"], 2],
])("%s of %j with %j", (name, value, args, expected) => {
  expect(run(name, value, ...args)).toEqual(expected);
});

describe("a filter that cannot apply fails the action", () => {
  test.each<[string, Json, Json[], string]>([
    ["to_number", "abc", [], "filter to_number: expected a number, got string"],
    ["to_number", "1e999", [], "filter to_number: expected a number, got string"],
    ["to_number", [], [], "filter to_number: expected a number, got array"],
    ["map", "x", ["id"], "filter map: expected an array, got string"],
    ["path", {}, ["a["], "filter path: bad path: '[' is not closed"],
  ])("%s of %j", (name, value, args, message) => {
    expect(() => run(name, value, ...args)).toThrow(new Failure("evaluation", message));
  });
});

test("a printed module finds a function of the filter's own name", () => {
  const exported: Readonly<Record<string, unknown>> = functions;
  for (const name of Object.keys(filters)) expect(exported[`${name}_filter`], name).toBeTypeOf("function");
});

test("no filter changes its input or throws anything but a failure", () => {
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(filters)), fc.jsonValue(), fc.jsonValue(), (name, value, argument) => {
      // fast-check builds JSON values only.
      const [input, given] = [value as Json, argument as Json];
      const before = JSON.stringify(input);
      try {
        run(name, input, given);
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(Failure);
      }
      expect(JSON.stringify(input)).toBe(before);
    }),
    { numRuns: 1000 },
  );
});
