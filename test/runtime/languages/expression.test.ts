import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arithmetic } from "#runtime/languages/arithmetic.ts";
import { Failure, Reject } from "#runtime/value/failure.ts";
import type { JsonObject } from "#runtime/value/json.ts";

describe("what is not in the language is refused", () => {
  it.each([
    ["", "it is empty"],
    ["()", "an operand is missing, at character 2"],
    ["price * 2", "'price' is not known; a field is written target.price"],
    ["target", "write target.<field>"],
    ["null", "'null' is not in the language"],
    ["this", "'this' is not known; a field is written target.this"],
    ["[1]", "lists are not in the language, at character 1"],
    ["1 2", "an operator is missing, at character 3"],
    ["1; 2", "an operator is missing, at character 2"],
    ["1;", "an operator is missing, at character 2"],
    [",1", "an operand is missing, at character 1"],
    ["(1, 2)", "parentheses hold one expression"],
    ["(1,)", "parentheses hold one expression"],
    ["(1", "')' is missing, at character 3"],
    ["1)", "')' closes nothing, at character 2"],
    ["1 +", "an operand is missing, at character 4"],
    ["max(1 2)", "')' is missing, at character 7"],
    ["max(,1)", "an operand is missing, at character 5"],
    ["max()", "an operand is missing, at character 5"],
    ["1 ? 2 : 3", "'?' is not in the language; math has if(condition, a, b)"],
    ["1 === 1", "operator '===' is not in the language"],
    ["1 ?? 1", "operator '??' is not in the language"],
    ["1 | 1", "operator '|' is not in the language"],
    ["2 ** 2", "operator '**' is not in the language"],
    ["+1", "operator '+' is not in the language"],
    ["~1", "operator '~' is not in the language"],
    ["target.a = 1", "'=' is not in the language; '==' compares"],
    ["target.a(1)", "an operator is missing, at character 9"],
    ["constructor(1)", "function 'constructor' is not known; there are min, max, abs, floor, ceil, round, sqrt and if"],
    ["abs(1, 2)", "abs takes one argument"],
    ["if(true, 1)", "if takes three arguments"],
    ["if(true, 1, 2, 3)", "if takes three arguments"],
    ["target?.a", "'?' is not in the language; math has if(condition, a, b)"],
    ['"a".length', "only fields, written target.<field>, have members"],
    ["(target.a)[0]", "only fields, written target.<field>, have members"],
    ["target[target.a]", "brackets hold an index or a quoted name"],
    ["target[1.5]", "brackets hold an index or a quoted name"],
    ["target[9007199254740992]", "an index is out of range"],
    ["target[0", "brackets hold an index or a quoted name"],
    ["target['a]", "brackets hold an index or a quoted name"],
    ["target.", "a name is missing behind the dot, at character 7"],
    ["target.a..b", "a name is missing behind the dot, at character 9"],
    ["target.a b", "an operator is missing, at character 10"],
    ["1e999", "1e999 is too large"],
    ['"a', "the quote is not closed, at character 1"],
    ["1a", "a number is not finished, at character 1"],
    ["1.2.3 + 1", "a number is not finished, at character 1"],
    ["2 * 1e", "a number is not finished, at character 5"],
    ["max((1, 2))", "parentheses hold one expression"],
    ["a.b", "only fields, written target.<field>, have members"],
    ["!", "an operand is missing, at character 2"],
    ["1 ! 2", "an operator is missing, at character 3"],
    ["`a`", "an operand is missing, at character 1"],
  ])("%s", (text, reason) => {
    expect(() => arithmetic(text)).toThrow(new Reject("PW513", `bad expression: ${reason}`));
  });

  it("at 4097 characters", () => {
    expect(arithmetic("1".padEnd(4096))({}, [])).toBe(1);
    expect(() => arithmetic("1".padEnd(4097))).toThrow("bad expression: it is longer than 4096 characters");
  });

  it("at 201 levels", () => {
    const nested = (open: string, levels: number, close: string): string => `${open.repeat(levels)}1${close.repeat(levels)}`;
    for (const [open, close] of [
      ["(", ")"],
      ["abs(", ")"],
      ["-", ""],
      ["1 ^ ", ""],
    ] as const) {
      expect(arithmetic(nested(open, 200, close))({}, [])).toBe(1);
      expect(() => arithmetic(nested(open, 201, close))).toThrow("bad expression: it is nested deeper than 200 levels");
    }
    expect(() => arithmetic("(".repeat(4096))).toThrow("bad expression: it is nested deeper than 200 levels");
  });

  it("but not for the number of its terms", () => {
    expect(arithmetic("1+".repeat(2047).concat("1"))({}, [])).toBe(2048);
  });
});

/** An expression, and what it comes to by JavaScript's own operators. */
interface Known {
  readonly text: string;
  readonly value: number;
}

const operators: Readonly<Record<string, (a: number, b: number) => number>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
  "^": (a, b) => a ** b,
};

const { known } = fc.letrec<{ known: Known }>((tie) => ({
  known: fc.oneof(
    { depthSize: "medium" },
    fc.nat({ max: 9 }).map((value) => ({ text: String(value), value })),
    fc.constantFrom({ text: "target.half", value: 0.5 }, { text: "target.text", value: 3.25 }),
    tie("known").map(({ text, value }) => ({ text: `-(${text})`, value: -value })),
    fc.tuple(tie("known"), fc.constantFrom(...Object.keys(operators)), tie("known")).map(([a, operator, b]) => ({
      text: `(${a.text}) ${operator} (${b.text})`,
      value: operators[operator]?.(a.value, b.value) ?? Number.NaN,
    })),
    fc.tuple(tie("known"), tie("known")).map(([a, b]) => ({ text: `max(${a.text}, ${b.text})`, value: Math.max(a.value, b.value) })),
  ),
}));

it("calculates as JavaScript does, and fails where that has no finite result", () => {
  fc.assert(
    fc.property(known, ({ text, value }) => {
      try {
        // Nothing is positive: the sign of a zero shows in no JSON.
        expect(Number(arithmetic(text)({ half: 0.5, text: "3.25" }, [])) + 0).toBe(value + 0);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        expect(error.message).toMatch(/^(?:division by zero|result is not a finite number)$/);
      }
    }),
    { numRuns: 500 },
  );
});

it.each([
  ["1 + 2 * 3 ^ 2", 19],
  ["2 * 3 ^ 2 ^ 0", 6],
  ["-2 ^ 2 * 3", -12],
  ["2 ^ -3 ^ 0", 0.5],
  ["--2 ^ 2", 4],
  ["7 % 4 * 2", 6],
  ["1 - -1", 2],
  ["1 < 2 && 2 + 2 == 4", true],
  ["false && false || true", true],
  ["!false == true", true],
  ["1 + 1 < 3 == !false", true],
])("%s is %s", (text, value) => {
  expect(arithmetic(text)({}, [])).toBe(value);
});

describe("fields", () => {
  const values = ["constructor", "list", 0, "b", "a.b", null];
  const hostile = JSON.parse(
    '{"a": {"b": 1}, "own": {"__proto__": 2, "constructor": 3}, "list": [4], "": 5, "rows": [{"b": 6}], "it\'s\\n": 7, "0": 8, "1st": 9}',
  ) as JsonObject;

  it.each([
    ["target.own.__proto__", 2],
    ["target.own.constructor", 3],
    ['target["own"]["constructor"]', 3],
    ['target.list["0"]', 4],
    ["target.list.0", 4],
    ["target.list.[-1]", 4],
    ["target.rows[0]b + target.rows.0 . b", 12],
    ["target['it\\'s\\n']", 7],
    ["target.0 * target.1st", 72],
    ["target.own.$0", 3],
    ["target[$1][$2]", 4],
    ["target.rows.$2.$3", 6],
    ['target[""]', 5],
  ])("%s", (text, value) => {
    expect(arithmetic(text)(hostile, values)).toBe(value);
  });

  it.each([
    ["target.constructor", "target.constructor is missing"],
    ["target.__proto__", "target.__proto__ is missing"],
    ["target.a.b.c", "target.a.b.c is missing"],
    ["target.list.length", "target.list.length is missing"],
    ["target.list[1]", "target.list[1] is missing"],
    ["target.a[0]", "target.a[0] is missing"],
    ["target.$4", "target.a.b is missing"],
    ["target.a.$5", "target.a. is missing"],
    ["target.a", "operand is not a number"],
    ["target.list", "operand is not a number"],
  ])("%s fails", (text, reason) => {
    expect(() => arithmetic(text)(hostile, values)).toThrow(new Failure("transform", reason));
  });
});

it("says nothing of the values that it fails on", () => {
  expect(() => arithmetic("target.a + 1")({ a: "hunter2" }, [])).toThrow(/^operand is not a number$/);
});
