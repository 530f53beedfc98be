import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parseYaml } from "#runtime/formats/yaml.ts";
import { yamlOf } from "#runtime/formats/yaml-text.ts";
import { atOnce } from "#runtime/threads/slices.ts";
import type { Json } from "#runtime/value/json.ts";

/** Texts that are close to something else. */
const tricky = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.stringMatching(/^[\n\r\t :#"'|>~.0-9a-f{}[\],&*!%@`<=?+-]{0,12}$/),
  fc.constantFrom("true", "null", "~", ".inf", "0x1f", "1e5", "...", "---", "a: b", "- x", "<<", "#a", "a #b", "a:", "k".repeat(1500)),
  fc.constantFrom("\uFEFFx", "x\u2028y", "\uD800", "a\n\nb", "a\n", "a\nb\n\n", "  a\nb", "a\n \nb", "\n", "a\n\tb", "\x7F", "\x85"),
);
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "medium" },
    tricky,
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number || 0),
    fc.constantFrom(true, false, null),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(tricky, tie("value"), { maxKeys: 5, noNullPrototype: true }),
  ),
}));

it("says the same to us and to the yaml package", () => {
  fc.assert(
    fc.property(value, (json) => {
      const text = atOnce(yamlOf(json));
      expect(JSON.stringify(parseYaml(text))).toBe(JSON.stringify(json));
      expect(JSON.stringify(parse(text))).toBe(JSON.stringify(json));
    }),
    { numRuns: 500 },
  );
});

describe("a text", () => {
  it.each([
    ['plain words, \\no quotes "here" it\'s', 'plain words, \\no quotes "here" it\'s'],
    ["- starts like a list", '"- starts like a list"'],
    ["-v", "-v"],
    ["...", '"..."'],
    ["a\tb", '"a\\tb"'],
    ["\x7F\u2028\uFEFF", '"\\u007f\\u2028\\ufeff"'],
    ["x\n\ny ", "|-\n  x\n\n  y "],
    ["x\ny\n", "|\n  x\n  y"],
    ["x\n \ny", '"x\\n \\ny"'],
    ["x\n\n", '"x\\n\\n"'],
    [" x\ny", '" x\\ny"'],
  ])("%j", (text, written) => {
    expect(atOnce(yamlOf(text))).toBe(`${written}\n`);
  });
});

it("marks a key that is too long to be seen as one", () => {
  const name = "k".repeat(1001);
  expect(atOnce(yamlOf([{ [name]: { a: 1 } }]))).toBe(`- ? ${name}\n  :\n    a: 1\n`);
});
