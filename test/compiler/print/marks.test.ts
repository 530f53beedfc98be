import { expect, test } from "vitest";
import { code, lit, mark, marked, unmarkedCode } from "../../../compiler/6-print/code.ts";

// Marks say from which place of the YAML a part of a line comes, and where that part ends.

const at = (start: number) => ({ file: "a.yaml", start, end: start + 1 });
const place = (start: number) => ({ file: "a.yaml", start });

test("code behind a marked part comes from where the code before it came from", () => {
  const line = code`f(${marked(code`g(1)`, at(7))}, ${mark(at(9))}h(${marked(code`i(${marked(code`k`, at(12))}, 2)`, at(11))}), 3)`;
  expect(unmarkedCode(line)).toEqual({
    text: "f(g(1), h(i(k, 2)), 3)",
    marks: [
      { column: 2, at: place(7) },
      { column: 6, at: undefined },
      { column: 8, at: place(9) },
      { column: 10, at: place(11) },
      { column: 12, at: place(12) },
      { column: 13, at: place(11) },
      { column: 17, at: place(9) },
    ],
  });
});

test("a text of the user is no mark", () => {
  const text = "\u0001null\u0002";
  expect(unmarkedCode(lit(text))).toEqual({ text: '"\\u0001null\\u0002"', marks: [] });
});

test("what has no place is not marked", () => {
  expect(marked(code`a`, undefined)).toBe("a");
});
