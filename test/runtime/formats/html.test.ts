import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkSelector, findHtml } from "#runtime/formats/html.ts";
import { Failure, Reject } from "#runtime/value/failure.ts";
import { css } from "#runtime/value/holes.ts";

const texts = (html: string, selector: string) => findHtml({ html, selector, part: "text", all: true });
const inner = (html: string, selector = "body") => findHtml({ html, selector, part: "html", all: false });

describe("documents", () => {
  test.each([
    ["<table><tr><td>1<tr><td>2</table>", "<table><tbody><tr><td>1</td></tr><tr><td>2</td></tr></tbody></table>"],
    [
      "<table><caption>c</caption> <tr><td>1</td></tr> <tfoot><tr><td>f</table>",
      "<table><caption>c</caption> <tbody><tr><td>1</td></tr> </tbody><tfoot><tr><td>f</td></tr></tfoot></table>",
    ],
    ["<table><tbody><tr><td>1</table>", "<table><tbody><tr><td>1</td></tr></tbody></table>"],
    [
      "<table><tr><td><table><tr><td>in</table></table>",
      "<table><tbody><tr><td><table><tbody><tr><td>in</td></tr></tbody></table></td></tr></tbody></table>",
    ],
  ])("%s has the bodies of its tables", (html, expected) => {
    expect(inner(html)).toBe(expected);
  });

  test("have one html, head and body, whatever is missing or stands outside", () => {
    for (const html of [
      "",
      "x",
      "<p>x",
      "<body>x",
      "<html>x",
      "<head></head>x",
      "<title>t</title>x",
      "<html><head></head><body>x</body></html>",
    ]) {
      expect(texts(html, "html")).toHaveLength(1);
      expect(texts(html, "html > head + body")).toEqual([html === "" ? "" : "x"]);
    }
  });

  test("that are nested too deeply are refused, not a reason to crash", () => {
    expect(texts("<i>".repeat(900), "i:not(:has(i))")).toEqual([""]);
    expect(() => texts("<i>".repeat(200_000), "i")).toThrow(new Failure("transform", "HTML is nested deeper than 1000 elements"));
  });

  test("of any text can be read", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("<", ">", "/", "a", "table", "tr", "html", "body", "head", "!--", '"', "=", " ", "&", "\0") }),
        (html) => {
          expect(texts(html, "html > body")).toHaveLength(1);
        },
      ),
    );
  });
});

describe("selectors", () => {
  test("find elements of SVG, whose names have capitals", () => {
    const html = '<svg viewBox="0 0 1 1"><linearGradient id="a">g</linearGradient></svg>';
    for (const selector of ["linearGradient", "lineargradient", "svg[viewBox] linearGradient#a"])
      expect(texts(html, selector)).toEqual(["g"]);
  });

  test("may have comments", () => {
    const html = '<p class="x">a <b title="/* t */">b</b></p>';
    for (const selector of ["p /* a */ > b", "/* a */ b", "b /* a */", "p/**/.x b", 'b[title="/* t */"]']) {
      checkSelector(selector);
      expect(texts(html, selector)).toEqual(["b"]);
    }
    expect(texts(html, "p/**/b")).toEqual([]);
  });

  test("may end too early", () => {
    expect(() => checkSelector("a[")).toThrow(new Reject("PW514", "CSS selector: Expected name, found the end"));
    expect(() => checkSelector("a\\..b[title='a..b [=x]']:has(> b)")).not.toThrow();
  });

  test.each(["", " ", "a[", "a >", "> a", "a..b", "[=x]", "::before", ":nope", "a,", "a".repeat(5000), ":is(".repeat(1000)])(
    "%j is none",
    (selector) => {
      expect(() => checkSelector(selector)).toThrow(Reject);
    },
  );

  test("a value that fills a hole is a name, or the inside of a text, and nothing else", () => {
    const value = fc.string({
      unit: fc.oneof(
        fc.constantFrom("a", "-", "1", " ", '"', "'", "\\", "]", "*", ",", "\n", "é", "😀"),
        fc.string({ minLength: 1, maxLength: 1 }),
      ),
    });
    const readable = value.filter((text) => text !== "" && text.isWellFormed() && !/[\0\r]/.test(text));
    fc.assert(
      fc.property(readable, (id) => {
        const escaped = id.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
        const html = `<p id="${escaped}">yes</p><p id="other">no</p><p>no</p>`;
        for (const selector of [`[id="${css(id)}"]`, `[id='${css(id)}']`, `#${css(id)}`, `p#${css(id)}:first-child`]) {
          expect(texts(html, selector)).toEqual(["yes"]);
        }
      }),
    );
  });
});
