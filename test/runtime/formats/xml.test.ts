import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rootOf } from "#runtime/formats/xml.ts";
import { atOnce } from "#runtime/threads/slices.ts";
import { Failure } from "#runtime/value/failure.ts";

const parseXml = (document: string) => atOnce(rootOf(document));

describe("what is not well-formed (XML 1.0) fails", () => {
  it.each([
    ["", "there is no element"],
    [" \n", "there is no element"],
    ["x<a/>", "text stands outside of the element"],
    ["<a/>x", "text stands outside of the element"],
    ["<a/>&#32;", "text stands outside of the element"],
    ["<a/><![CDATA[]]>", "text stands outside of the element"],
    ["<a/><b/>", "<b> follows the end of the document"],
    ["<a>", "<a> is not closed"],
    ["</a>", "</a> closes nothing"],
    ["<a></b>", "</b> stands where <a> ends"],
    ["<A></a>", "</a> stands where <A> ends"],
    ["<a b='1' b='2'/>", "attribute b is there twice"],
    ["<a b=c/>", "<a> has a broken attribute, or no end"],
    ["<a b/>", "<a> has a broken attribute, or no end"],
    ["<a b='1'c='2'/>", "<a> has a broken attribute, or no end"],
    ["<a b='<'/>", "<a> has a broken attribute, or no end"],
    ["<a b='1/>", "<a> has a broken attribute, or no end"],
    ["<a / >", "<a> has a broken attribute, or no end"],
    ["<a", "<a> has a broken attribute, or no end"],
    ["<1a/>", "'<' begins nothing that ends"],
    ["< a/>", "'<' begins nothing that ends"],
    ["<a>x < y</a>", "'<' begins nothing that ends"],
    ["<a></ a>", "'<' begins nothing that ends"],
    ["<a><!-- x</a>", "'<' begins nothing that ends"],
    ["<a><![CDATA[x</a>", "'<' begins nothing that ends"],
    ["<a><?p x</a>", "'<' begins nothing that ends"],
    ["<a><!-- a -- b --></a>", "a comment holds '--'"],
    ["<a><!-- a ---></a>", "a comment holds '--'"],
    ["<a>]]></a>", "']]>' ends nothing"],
    ["<a>&</a>", "'&' begins no predefined entity, or an unknown character"],
    ["<a>&amp</a>", "'&' begins no predefined entity, or an unknown character"],
    ["<a>&AMP;</a>", "'&' begins no predefined entity, or an unknown character"],
    ["<a b='&e;'/>", "'&' begins no predefined entity, or an unknown character"],
    ["<a>&#0;</a>", "'&' begins no predefined entity, or an unknown character"],
    ["<a>&#xD800;</a>", "'&' begins no predefined entity, or an unknown character"],
    ["<a>&#x110000;</a>", "'&' begins no predefined entity, or an unknown character"],
    ["<a>&#xFFFFFFFFFFFFFFFFFFFFFFFF;</a>", "'&' begins no predefined entity, or an unknown character"],
    ["<a>\u0001</a>", "a character that no document may hold"],
    ["<a>\uFFFF</a>", "a character that no document may hold"],
    ["<a>\uD800</a>", "a character that no document may hold"],
    [" <?xml version='1.0'?><a/>", "the declaration is not at the start, or not a declaration"],
    ["<?xml encoding='UTF-8'?><a/>", "the declaration is not at the start, or not a declaration"],
    ["<a><?XML x?></a>", "the declaration is not at the start, or not a declaration"],
    ["<a/><!DOCTYPE a>", "the document type is not before the element, or there twice"],
    ["<!DOCTYPE a><!DOCTYPE a><a/>", "the document type is not before the element, or there twice"],
    ["<!DOCTYPE a [<!ELEMENT a ANY><a/>", "the document type has no end"],
    ["<!DOCTYPE a []", "the document type has no end"],
    ["<!DOCTYPE a]><a/>", "the document type has no end"],
    ["<!doctype a><a/>", "'<' begins nothing that ends"],
  ])("%j", (document, reason) => {
    expect(() => parseXml(document)).toThrow(`invalid XML: line ${document.startsWith(" \n") ? 2 : 1}: ${reason}`);
  });
});

describe("entities", () => {
  it.each([
    ["<!DOCTYPE a [<!ENTITY e 'x'>]><a/>"],
    ["<!DOCTYPE a [ <?p ]> ?> <!-- ]> --> <!ATTLIST a b CDATA ']>'> <!ENTITY e SYSTEM 'file:///etc/passwd'>]><a>&e;</a>"],
    ["<!DOCTYPE a SYSTEM 'x.dtd' [<!ENTITY % p 'x'> %p;]><a/>"],
  ])("may not be declared: %s", (document) => {
    expect(() => parseXml(document)).toThrow(/^invalid XML: entity declarations are not allowed$/);
  });

  it("may be talked about", () => {
    const document = "<!DOCTYPE a [ <!-- <!ENTITY e 'x'> --> <!NOTATION n SYSTEM '<!ENTITY'> ]><a><![CDATA[<!ENTITY]]></a>";
    expect(parseXml(document)).toEqual({ a: "<!ENTITY" });
  });
});

it("counts lines of any kind", () => {
  expect(() => parseXml("<a>\r\n\r\n<b>")).toThrow("invalid XML: line 3: <b> is not closed");
});

it("takes 128 levels and no more", () => {
  const nested = (levels: number): string => `${"<a>".repeat(levels)}x${"</a>".repeat(levels)}`;
  expect(JSON.stringify(parseXml(nested(128)))).toHaveLength(6 * 128 + 3);
  expect(() => parseXml(nested(129))).toThrow("invalid XML: line 1: elements are nested deeper than 128 levels");
});

it("shortens a long name in a message", () => {
  const name = "n".repeat(1000);
  expect(() => parseXml(`<${name}>`)).toThrow(new Failure("transform", `invalid XML: line 1: <${"n".repeat(200)}...> is not closed`));
});

const piece = fc.constantFrom(
  ...[
    "<a>",
    "</a>",
    "<b k='v'>",
    "</b>",
    "<c/>",
    "x",
    "&lt;",
    "&#65;",
    "&",
    "<",
    ">",
    "'",
    '"',
    " ",
    "\n",
    "<!--",
    "-->",
    "-",
    "<![CDATA[",
  ],
  ...["]]>", "<?p", "?>", "<!DOCTYPE a", "[", "]", "<!ENTITY", "%p;", "=", "é", "\u0000"],
);

it("shortens a long name in a message", () => {
  const name = "n".repeat(1000);
  expect(() => parseXml(`<${name}></a${name}>`)).toThrow(`</a${"n".repeat(199)}...> stands where <${"n".repeat(200)}...> ends`);
});

it("reads any text, or says why not", () => {
  fc.assert(
    fc.property(fc.array(piece), fc.boolean(), (pieces, wrapped) => {
      const text = wrapped ? `<a>${pieces.join("")}</a>` : pieces.join("");
      try {
        expect(Object.keys(parseXml(text))).toHaveLength(1);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        expect(error.message).toMatch(/^invalid XML: (?:line \d+: |entity declarations are not allowed$)/);
      }
    }),
    { numRuns: 1000 },
  );
});
