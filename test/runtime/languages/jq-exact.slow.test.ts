import { describe, expect, test } from "vitest";
import { jqQuestion } from "#runtime/languages/jq/filter.ts";
import { jqWork } from "#runtime/threads/kinds/jq.ts";
import type { Json } from "#runtime/value/json.ts";
import { compiledJq, type JqResult, realJq } from "../../harness/compiled-jq.ts";

// Where a compiled filter and jq itself could part: each line is asked of both. `left`: the compiled form leaves it to jq.

const one = (value: Json): JqResult => ({ value });
const error = (text: string): JqResult => ({ error: text });

interface Case {
  readonly filter: string;
  readonly data: Json;
  readonly made: JqResult;
  readonly left?: true;
}

const cases: readonly Case[] = [
  // A question mark stands for its own step alone.
  { filter: ".a.b?", data: "text", made: error('Cannot index string with string ("a")') },
  { filter: "[.a.b?]", data: { a: "text" }, made: one([]) },
  { filter: '.a["b"]?.c[1:]', data: [], made: error('Cannot index array with string ("a")') },
  { filter: ".[0].a? // 1", data: {}, made: error("Cannot index object with number (0)") },
  // A minus binds tighter than any operator.
  { filter: "-2 / .a", data: { a: "x" }, made: error('number (-2) and string ("x") cannot be divided') },
  { filter: "-.a * .b", data: { a: "x", b: [] }, made: error('string ("x") cannot be negated') },
  { filter: "2 - -3 * -.a", data: { a: 2 }, made: one(-4) },
  { filter: "-true", data: null, made: error("boolean (true) cannot be negated") },
  { filter: "--.a", data: { a: 3 }, made: one(3) },
  { filter: "try -error(1) catch -.", data: null, made: one(-1) },
  // The operand that fails first gives the error.
  {
    filter: 'add(.[] | if . == 3 then error("x") else . end)',
    data: [1, "a", 3],
    made: error('number (1) and string ("a") cannot be added'),
  },
  { filter: '{(.a): 1, b: error("x")}', data: { a: 1 }, made: error("Cannot use number (1) as object key"), left: true },
  { filter: '{(.a): error("x")}', data: { a: 1 }, made: error("x") },
  // Bounds that are no whole numbers.
  { filter: "has(-0.5)", data: [1], made: one(true), left: true },
  { filter: "flatten(1.5)", data: [[[[1]]]], made: one([1]), left: true },
  { filter: 'range(.a; "x"; null)', data: {}, made: one(null), left: true },
  { filter: "[range(.a)]", data: { a: "x" }, made: error("Range bounds must be numeric") },
  { filter: "[range(0; .a; 2)]", data: { a: 5 }, made: one([0, 2, 4]) },
  // jq takes two slices of one list for equal when they have the same length.
  { filter: ".[0:2] == .[2:4]", data: [1, 2, 3, 4], made: one(true), left: true },
  { filter: "[.[:1], .[1:]] | unique", data: [1, 2], made: one([[1]]), left: true },
  { filter: "{a: .[1:][1:]} == {a: .[:1]}", data: [1, 2, 3], made: one(true), left: true },
  { filter: ".[0:2] == [1, 3]", data: [1, 2, 3], made: one(false) },
  { filter: ".[0:2] == .[0:1]", data: [1, 2, 3], made: one(false) },
  { filter: "rtrim, ltrim, trim", data: " \t\r\n", made: one(["", "", ""]) },
  // A value is evaluated even if no other part of the filter reads it.
  { filter: "{a: .[1:]} | first(empty)", data: 1, made: error('Cannot index number with object ({"start":1,"end":null})') },
  { filter: "[{a, b} | empty]", data: {}, made: one([]) },
  // jq's text ends at a NUL, and without a blank.
  { filter: "error", data: "a\0b", made: error("a"), left: true },
  { filter: "error", data: "a \n\n", made: error("a"), left: true },
  { filter: "error", data: "\nAborted(", made: error("\nAborted(") },
  // A zero with a sign, which JSON text loses.
  { filter: "-.[0] | tostring", data: [-0], made: one("0"), left: true },
  { filter: ".[0] * -1 | tostring", data: [-0], made: one("-0"), left: true },
];

test.each(cases)("$filter on $data", async ({ filter, data, made, left }) => {
  const compiled = compiledJq(filter);
  if (typeof compiled === "string") throw new Error(compiled);
  const here = compiled(data);
  expect(here === "left" ? here : withoutBefore(here)).toEqual(left ? "left" : made);
  expect(await realJq(filter, JSON.stringify(data))).toEqual(made);
});

test.each([
  "-1.0 | tojson",
  "-1.50",
  "-9007199254740993 == -9007199254740992",
  ".[1.0:]",
  ".[-1.0:]",
  "del(.[1.0])",
  ".[1e0] = 1",
  '"\\ud800"',
  "1 # \0",
])("%j is for jq alone: a number keeps its spelling, and not every text is a filter", (filter) => {
  expect(compiledJq(filter)).toBeTypeOf("string");
});

function withoutBefore(made: Exclude<ReturnType<Exclude<ReturnType<typeof compiledJq>, string>>, "left">): JqResult {
  return "value" in made ? made : error(made.error);
}

describe("half a surrogate pair", () => {
  const data = { a: "\ud800x\udfff", b: "\ud801", "\udc00": "\\ud800 \u{10f123} 😀" };

  const through = async (filter: string, values: readonly Json[] = []): Promise<Json> => {
    const { request, reply } = jqQuestion({ text: filter, values }, data);
    return reply(await jqWork(request));
  };

  test.each<[string, Json]>([
    [".", data],
    [".a == .b", false],
    [".a == $__0", true],
    [".a | length", 3],
    [".a | startswith($__0[:1])", true],
    ["keys", ["a", "b", "\udc00"]],
    [".a | tojson", '"\ud800x\udfff"'],
  ])("goes through jq and the compiled form alike: %s", async (filter, expected) => {
    expect(await through(filter, [data.a])).toEqual(expected);
    const compiled = compiledJq(`. as $data | ${filter.replaceAll("$__0", "$data.a")}`);
    const here = typeof compiled === "string" ? compiled : compiled(data);
    if (here !== "left") expect(here).toEqual(one(expected));
  });

  test("is no part of a whole one", async () => {
    const pair = { a: "😀", b: "\ud83d" };
    const text = ".b as $b | .a | startswith($b)";
    const compiled = compiledJq(text);
    expect(typeof compiled === "string" ? compiled : compiled(pair)).toBe("left");
    const { request, reply } = jqQuestion({ text }, pair);
    expect(reply(await jqWork(request))).toBe(false);
  });
});

describe("work without a bound goes to jq's own thread", () => {
  const list = Array.from({ length: 6000 }, (_, i) => i);

  test.each([
    "[.[] as $x | .[] | select(. == $x)]",
    "reduce .[] as $x ([]; . + [$x])",
    'reduce .[] as $x ({}; . + {("k\\($x)"): $x})',
    "[range(1000) as $i | range(100000) | select(. < $i)]",
    ". - .",
    "[.[] as $x | map(tostring) | join($x | tostring)]",
    "[.[] as $x | tojson]",
    "tojson as $t | [.[] | $t | length]",
    'tojson as $t | [.[] | $t == ($t + "")]',
    "tojson as $t | [.[] | $t | ascii_upcase]",
    "[.[] as $x | keys]",
    "[.[] as $x | to_entries]",
    "[.[] as $x | max]",
    "[.[] as $x | reverse]",
  ])("%s", (filter) => {
    const compiled = compiledJq(filter);
    expect(typeof compiled === "string" ? compiled : compiled(list)).toBe("left");
  });

  test.each([
    ["a text that doubles", 'reduce range(40) as $i ("a"; . + .)'],
    ["a value that doubles", "reduce range(60) as $i (1; [., .])"],
    ["a value that gets deeper", "reduce range(2000) as $i (1; {a: .})"],
  ])("%s", (_, filter) => {
    const compiled = compiledJq(filter);
    expect(typeof compiled === "string" ? compiled : compiled(null)).toBe("left");
  });

  test("blanks inside a text are gone over once", () => {
    const compiled = compiledJq("rtrim");
    const text = `a${" ".repeat(1_000_000)}b`;
    // A difference of such texts would fill the screen.
    const trimmed = JSON.stringify(typeof compiled === "string" ? compiled : compiled(`${text}  `));
    expect(trimmed === JSON.stringify({ value: text })).toBe(true);
  });

  test("a step too small to change a number", () => {
    const compiled = compiledJq("[range(.a; .b)]");
    expect(typeof compiled === "string" ? compiled : compiled({ a: 1e17, b: 1e17 + 64 })).toBe("left");
  });

  test("each run has its own", () => {
    const compiled = compiledJq(". - .[:1000] | length");
    for (let i = 0; i < 3; i++) expect(typeof compiled === "string" ? compiled : compiled(list)).toEqual(one(5000));
  });
});
