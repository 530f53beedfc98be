import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dedent } from "#runtime/value/dedent.ts";
import { code, deeper, lit, template } from "../../../compiler/6-print/code.ts";

const tag = () => code`pw.dedent`;

/** The value of printed code, wherever it stands. */
const evaluated = (text: string): unknown => new Function("pw", "hole", `return ${text};`)({ dedent }, "  value\n      ");

describe("a text of several lines", () => {
  test("stands below its backtick", () => {
    expect(lit("SELECT 1\n  AS one\n\nFROM t\n", "  ", tag)).toBe("pw.dedent`\n    SELECT 1\n      AS one\n\n    FROM t\n  `");
    expect(lit("a\nb", "", tag)).toBe("pw.dedent`\n  a\n  b`");
  });

  test.each([
    "",
    "a",
    "a\n",
    " a\nb",
    " a\n b",
    "a\n ",
    "a \n\n\nb\n",
    "\na\n  \n b",
    "a\r\nb",
    "a\n\tb",
    "`${x}`\n\\n\\${",
    "a\n$",
    "a\n\u2028b",
  ])("%j is given back", (text) => {
    expect(evaluated(lit(text, "    ", tag))).toBe(text);
    expect(evaluated(deeper(lit({ key: [text] }, "  ", tag), "      "))).toEqual({ key: [text] });
  });

  test("random texts are given back, with what fills them", () => {
    const piece = fc.constantFrom("a", " ", "  ", "\n", "\n\n", "\t", "`", "$", "{", "}", "\\", "\r", '"', "\u0000", "é");
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(fc.tuple(text, text, text), ([before, between, after]) => {
        const hole = { hole: code`hole` };
        expect(evaluated(lit(before, "  ", tag))).toBe(before);
        const filled = template(
          [before, hole, between, hole, after].filter((part) => part !== ""),
          "  ",
          tag,
        );
        expect(evaluated(deeper(filled, "    "))).toBe([before, between, after].join("  value\n      "));
      }),
      { numRuns: 2000 },
    );
  });
});
