import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lowerExpression } from "../../../compiler/4-plan/lower/expression.ts";
import { scope } from "../../../compiler/4-plan/markers/scope.ts";
import { collector } from "../../../compiler/diagnostics/collect.ts";
import { condition } from "../../../runtime/languages/condition.ts";
import { Reject } from "../../../runtime/value/failure.ts";
import type { Json } from "../../../runtime/value/json.ts";
import { evaluated, nodeOf, usual, type World } from "./lowering.ts";

// `expression` (spec/language 6.4, 2.8 J): what markers in its text become, and what it comes to.

describe("markers", () => {
  function lowered(
    text: string,
    world: World = {},
  ): { readonly text: Json; readonly values: readonly Json[]; readonly found: readonly string[] } {
    const node = nodeOf(`v: ${JSON.stringify(text)}`);
    if (node.kind !== "scalar") throw new Error("no scalar");
    const { report, diagnostics } = collector();
    const { operand, values } = lowerExpression(node, { report, scope: scope(usual), definitions: {} });
    return {
      text: evaluated(operand),
      values: values.map((value) => evaluated(value, world)),
      found: diagnostics().map(({ code, message }) => `${code}: ${message}`),
    };
  }

  it.each<[string, Json, string, readonly Json[]]>([
    ["a|body::n| > 0", { n: 3 }, "$0 > 0", [3]],
    ["a|body|", [1], "$0", [[1]]],
    ["a|body::a|+a|body::b|", { a: 1 }, "$0+$1", [1, null]],
    ["'a|body::a|' == \"x\"", { a: "'" }, '$0 == "x"', ["'"]],
    ["'a|body::a|, a|body::b|!' == 1", { a: 1, b: [2] }, "$0 == 1", ["1, [2]!"]],
    ["'\\'\\n\\x a|body::a|'", { a: 1 }, "$0", ["'\nx 1"]],
    ["\"it's\" != 'a|body::a|'", { a: '"it\'s"' }, '"it\'s" != $0', ['"it\'s"']],
    ["'$0' == a|body::a|", { a: "$0" }, "'$0' == $0", ["$0"]],
    ["'\\\\' == a|body::a|", { a: "\\" }, "'\\\\' == $0", ["\\"]],
    ["'\\a|' == a|body::a|", { a: "a|" }, "'a|' == $0", ["a|"]],
  ])("%s", (written, body, text, values) => {
    expect(lowered(written, { body })).toEqual({ text, values, found: [] });
  });

  it.each(["a|body::a|a|body::b|", "a|body::a|5", "a|body::a|_", "5 a|body::a|", "x a|body::a|"])(
    "are apart from what touches them: %s",
    (written) => {
      const { text, found } = lowered(written);
      expect(found).toEqual([]);
      expect(() => condition(String(text))).toThrow(Reject);
    },
  );

  it("have names that nobody else may write", () => {
    expect(lowered("$0 == a|body::n|").found).toEqual(["PW513: bad expression: '$' is not in the language"]);
    expect(lowered("$0").found).toHaveLength(1);
  });

  it("a quote that is not closed is left to the parser", () => {
    const { text } = lowered("a|body::n| == 'a");
    expect(() => condition(String(text))).toThrow(/the quote is not closed/);
  });
});

/** An expression of the language, and what it comes to by the rules of JavaScript, which are the same for numbers and booleans. */
interface Sample {
  readonly text: string;
  readonly value: number | boolean;
}

const { whole } = fc.letrec<{ number: Sample; boolean: Sample; whole: Sample }>((tie) => {
  const numbers = (operator: string, calculate: (a: number, b: number) => number) =>
    fc
      .tuple(tie("number"), tie("number"))
      .map(([a, b]) => ({ text: `(${a.text} ${operator} ${b.text})`, value: calculate(Number(a.value), Number(b.value)) }));
  const orders = (operator: string, compare: (a: number, b: number) => boolean) =>
    fc
      .tuple(tie("number"), tie("number"))
      .map(([a, b]) => ({ text: `${a.text} ${operator} ${b.text}`, value: compare(Number(a.value), Number(b.value)) }));
  const choices = (operator: string, decide: (a: boolean, b: boolean) => boolean) =>
    fc
      .tuple(tie("boolean"), tie("boolean"))
      .map(([a, b]) => ({ text: `(${a.text} ${operator} ${b.text})`, value: decide(a.value === true, b.value === true) }));
  const leaf = fc.integer({ min: 0, max: 99 }).map((value) => ({ text: String(value), value }));
  return {
    number: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      leaf,
      numbers("+", (a, b) => a + b),
      numbers("-", (a, b) => a - b),
      numbers("*", (a, b) => a * b),
      tie("number").map((a) => ({ text: `(-${a.text})`, value: -Number(a.value) })),
    ),
    boolean: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.boolean().map((value) => ({ text: String(value), value })),
      orders("<", (a, b) => a < b),
      orders("<=", (a, b) => a <= b),
      orders(">", (a, b) => a > b),
      orders(">=", (a, b) => a >= b),
      orders("==", (a, b) => a === b),
      orders("!=", (a, b) => a !== b),
      choices("&&", (a, b) => a && b),
      choices("||", (a, b) => a || b),
      tie("boolean").map((a) => ({ text: `!(${a.text})`, value: a.value !== true })),
    ),
    whole: tie("boolean"),
  };
});

describe("what it comes to", () => {
  it("numbers and booleans", () => {
    fc.assert(
      fc.property(whole, ({ text, value }) => {
        fc.pre(text.length <= 4096);
        expect(condition(text)([])).toBe(value);
      }),
    );
  });

  it("a value is never a part of the expression", () => {
    const hostile = fc.constantFrom("1 || 1 == 1", "' || 'a' == 'a", "true) || (true", "$1", "$0 == $0", "a|body::x|", "null");
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue() as fc.Arbitrary<Json>, hostile), (value) => {
        expect(condition("$0 == 'no such text' || $0 == 1e9")([value])).toBe(false);
      }),
    );
  });

  it.each<[string, readonly Json[], boolean]>([
    ["$0 == 1", ["1"], true],
    ["$0 == 1", [" 1.0 "], true],
    ["$0 == '01'", [1], false],
    ["$0 == $1", ["1e3", "1000"], true],
    ["$0 == 9007199254740993", ["9007199254740992"], false],
    ["$0 == true", ["true"], true],
    ["$0 == true", [1], false],
    ["$0 != true", ["yes"], true],
    ["$0 == 'true'", [true], true],
    ["$0 < 'b'", ["a"], true],
    ["$0 < '10'", ["9"], true],
    ["$0 < '10'", ["a"], false],
    ["$0 >= '10'", ["a"], false],
    ["$0 + 1 == 2", ["1"], true],
    ["$0 + 1 == 2", [true], false],
    ["$0 + '' == 'a'", ["a"], false],
    ["!$0", [false], true],
    ["!$0", ["false"], true],
    ["!$0", [0], false],
    ["!$0", [null], false],
    ["-$0 == -2", ["2"], true],
    ["1 / 0 == 1 / 0", [], false],
    ["5 % 0 != 1", [], false],
    ["null == null", [], true],
    ["null != $0", [0], true],
    ["(null) == $0", [null], false],
    ["$0 == null", [null], true],
    ["$0 == null", [{}], false],
    ["$0 || true", [null], false],
    ["true || $0", [null], true],
    ["false && $0", [null], false],
    [
      "$0 == $1",
      [
        [1, { a: null }],
        [1, { a: null }],
      ],
      true,
    ],
    ["$0 == $1", [[1], ["1"]], false],
    ["$0 < $1", [[1], [2]], false],
  ])("%s of %j", (text, values, expected) => {
    expect(condition(text)(values)).toBe(expected);
  });

  it.each(["(".repeat(5000), "!".repeat(5000), `${"(".repeat(2000)}1${")".repeat(2000)}`, "1 == ".repeat(2000)])("is bounded", (text) => {
    expect(() => condition(text)).toThrow(Reject);
  });
});
