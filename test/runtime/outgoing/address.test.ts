import fc from "fast-check";
import { expect, test } from "vitest";
import { type Address, parseAddress } from "../../../runtime/outgoing/address.ts";

// The judge is the parser of URLs: a short cut for plain addresses must give what it gives.

const parts = ({ protocol, hostname, host, port, origin, pathname, search, searchParams, href }: Address): object => ({
  ...{ protocol, hostname, host, port, origin, pathname, search, href },
  names: [...searchParams.entries()],
});

const same = (text: string, base?: string): void => {
  const [given, wanted] = [parseAddress(text, base), URL.parse(text, base)];
  expect(given === null ? null : parts(given), text).toEqual(wanted === null ? null : parts(wanted));
};

const piece = fc.constantFrom(
  ...[
    "http",
    "https",
    "ftp",
    "HTTP",
    "://",
    "//",
    "/",
    "\\",
    "a",
    "B.example",
    "127.0.0.1",
    "127.1",
    "0x7f.1",
    "[::1]",
    "xn--a",
    "ä",
    ":80",
  ],
  ...[":443", ":65536", ":", "@", "user:pass@", "?", "#", "&x=1", "=", "+", "%20", "%2e", "%2E%2e", "%zz", ".", "..", "...", "/./", "/../"],
  ...[
    "'",
    '"',
    "<",
    "{",
    "|",
    "^",
    "`",
    "~",
    "!",
    "$",
    "(",
    ")",
    "*",
    ",",
    ";",
    "-",
    "_",
    " ",
    "\t",
    "\n",
    "\0",
    "é",
    "😀",
    "\ud800",
    "__proto__",
  ],
);

test("random addresses are parsed as a URL is", () => {
  fc.assert(fc.property(fc.array(piece, { maxLength: 9 }), (pieces) => same(pieces.join(""))));
});

test("random paths of a plain authority are parsed as a URL is", () => {
  const authority = fc.constantFrom(
    "http://a.example",
    "https://a.example:8443",
    "http://A.example:80",
    "http://127.1",
    "http://a..b",
    "http://%41",
  );
  fc.assert(fc.property(authority, fc.array(piece, { maxLength: 9 }), (before, pieces) => same(`${before}/${pieces.join("")}`)));
});

test.each([
  ["http://a.example/p?q=1"],
  ["http://a.example/?"],
  ["http://a.example/p?"],
  ["http://a.example/p#f"],
  ["http://user:pass@a.example/p"],
  ["http://a.example/.hidden"],
  ["http://a.example/a/%2E%2e/b"],
  ["http://a.example:0/"],
  ["http://1.2.3.256/"],
  ["http://a.example/it's?it's"],
])("%s is parsed as a URL is", (text) => {
  same(text);
  // The authority is remembered now.
  same(text);
});

test("a base counts only for an address that is not whole", () => {
  same("/other?x=1", "http://a.example/p");
  same("http://b.example/other", "http://a.example/p");
});

test("ever new authorities are not all remembered", () => {
  for (let i = 0; i < 1_000; i++) same(`http://host-${i}.example/p`);
});

test("an address of any length is parsed as a URL is, and only short ones are kept in mind", () => {
  const parsed = (length: number): Address | URL | null => {
    const text = "http://a.example/".padEnd(length, "x");
    same(text);
    return parseAddress(text);
  };
  expect(parsed(2_048)).not.toBeInstanceOf(URL);
  expect(parsed(2_049)).toBeInstanceOf(URL);
  expect(parsed(1_000_000)).toBeInstanceOf(URL);
});
