import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHost } from "#runtime/process/host.ts";
import type { Json } from "#runtime/value/json.ts";
import { Redactor } from "#runtime/value/redact.ts";
import { processorMs } from "../../laws/block/yardstick.ts";

function knowing(...values: Json[]): Redactor {
  const redactor = new Redactor();
  values.forEach((value, i) => {
    redactor.add(String(i), value);
  });
  return redactor;
}

describe("values of secrets in texts", () => {
  it.each<[string, Json, string, string]>([
    ["as it is", "s3cr3t!", "before s3cr3t! after s3cr3t!", "before *** after ***"],
    ["in any case", "Canary-9F8e", "ENOTFOUND canary-9f8e.example CANARY-9F8E", "ENOTFOUND ***.example ***"],
    ["a word that is longer in capitals", "straße-42", "STRASSE-42 straße-42 STRAßE-42", "*** *** ***"],
    [
      "small letters in Base64, percent and hexadecimal",
      "Canary/9F8e",
      [Buffer.from("canary/9f8e").toString("base64url"), "canary%2f9f8e", Buffer.from("canary/9f8e").toString("hex").toUpperCase()].join(
        " ",
      ),
      "***U *** ***",
    ],
    ["too short to be hidden", "12345", "12345", "12345"],
    ["with slashes of JSON", "sekret-tok/+abc", '{"x":"sekret-tok\\/+abc"}', '{"x":"***"}'],
    ["with numbers of letters", "pässwörd99", '"p\\u00e4ssw\\u00F6rd99"', '"***"'],
    ["with numbers of signs", "<tag>&amp12", "a \\u003ctag\\u003e\\u0026amp12 b", "a *** b"],
    ["in JSON in JSON", 'quo"ted\\val1', JSON.stringify(JSON.stringify({ v: 'quo"ted\\val1' })), '"{\\"v\\":\\"***\\"}"'],
    ["with some signs percent-encoded", "sekret-tok/+abc", "sekret-tok%2F+abc sekret-tok/%2Babc%20", "*** ***%20"],
    [
      "as URLs write it",
      'CANARY sec\\+/=%&"é',
      `${new URL('http://x/CANARY sec\\+/=%&"é').pathname} ${new URL('http://x/?k=CANARY sec\\+/=%&"é').search}`,
      "/*** ?k=***",
    ],
    ["with escapes of its own", 'a%41b\\u0041"c', JSON.stringify('a%41b\\u0041"c'), '"***"'],
    ["Base64 in an address", "Canary>>>?", `?k=${encodeURIComponent(Buffer.from("Canary>>>?").toString("base64"))}`, "?k=***w%3D%3D"],
    ["in JSON", 'a"b\\c\nd', 'x {"v":"a\\"b\\\\c\\nd"}', 'x {"v":"***"}'],
    ["percent-encoded", "p@ss wörd/1", "?q=p%40ss%20w%C3%B6rd%2F1&r=p%40ss+w%c3%b6rd%2f1", "?q=***&r=***"],
    ["Base64 of a part", "password", Buffer.from("user:password!").toString("base64"), "dXNlcjp***CE="],
    ["hexadecimal", "abcdef", "x616263646566 616263646566", "x*** ***"],
    ["a line of a key", "-----BEGIN X-----\nMIIEvQIBADANBg\n-----END X-----", "near MIIEvQIBADANBg", "near ***"],
    ["inside a structure", { a: ["first-1", { b: "second-2" }], n: 1234567 }, "first-1 second-2 1234567", "*** *** ***"],
    ["with signs of a pattern", "a.b*c(d", "aXb*c(d a.b*c(d", "aXb*c(d ***"],
  ])("%s", (_, secret, text, expected) => {
    expect(knowing(secret).text(text)).toBe(expected);
  });

  it("the text of a failure, which is cut and never ends inside a secret", () => {
    const redactor = knowing("s3cr3t!");
    expect(redactor.failure("no s3cr3t!")).toBe("no ***");
    const long = `${"x".repeat(65_533)}s3cr3t!${"y".repeat(100)}`;
    expect(redactor.failure(long)).toBe(`${"x".repeat(65_533)}***… (${long.length} characters)`);
    expect(redactor.failure("z".repeat(65_536))).toHaveLength(65_536);
  });

  it("secrets that are too long and too many for one pattern, each line of them", () => {
    const lines = Array.from({ length: 4_000 }, (_, i) => Buffer.from(`${"line of a key "}${i}${"x".repeat(40)}`).toString("base64"));
    const redactor = knowing(lines.join("\n"), ...Array.from({ length: 300 }, (_, i) => `token-${i}-of-300`));
    expect(redactor.text(`${lines[0]} ${lines[3_999]?.toLowerCase()} token-7-of-300 TOKEN-299-OF-300`)).toBe("*** *** *** ***");
  });

  it("secrets that an excerpt cuts, where 12 characters of them are left", () => {
    const redactor = knowing("CANARYL0NG{[QWERTYQWERTYQWERTY", "CANARYL0NG{[QWERTZ", "https://hooks.example/services/1");
    const cut = 'string ("CANARYL0NG{[QWERTYQWERTY...") cannot be parsed, CANARYL0NG{[QWERTY…, CANARYL0NG{[QWERT...';
    expect(redactor.text(cut)).toBe('string ("***...") cannot be parsed, ***…, ***...');
    expect(redactor.text('{\\"CANARYL0NG{\\u005bQW…')).toBe('{\\"***…');
    const short = "CANARYL0NG{…, https://…, CANARYL0NG{[QWERTY and CANARYL0NG{[QWERTX… https://hooks.example";
    expect(redactor.text(short)).toBe(short);
  });

  it("secrets that an excerpt cuts without dots, where 40 characters of them are left", () => {
    const long = "x1Y2".repeat(20);
    const redactor = knowing(long);
    expect(redactor.text(`cannot convert "${long.slice(0, 40)}" to a number`)).toBe('cannot convert "***" to a number');
    expect(redactor.text(`"${long.slice(0, 39)}"`)).toBe(`"${long.slice(0, 39)}"`);
  });

  it("long texts in no time, also of escapes and of beginnings", () => {
    const redactor = knowing(...Array.from({ length: 2_000 }, (_, i) => `token-of-a-list-${i}`));
    const texts = ["\\u0061", "%C3%A4", "\\\\", "token-of-a-list-…", "ÄÖ"].map((text) => text.repeat(200_000 / text.length));
    const ms = processorMs(() => {
      for (const text of texts) redactor.text(text);
    });
    expect(ms).toBeLessThan(5_000);
  });

  it("the longest first", () => {
    expect(knowing("secret", "secret-and-more").text("secret-and-more secret")).toBe("*** ***");
  });

  it("earlier values stay hidden for a while", () => {
    const redactor = new Redactor();
    for (let i = 0; i < 6; i++) redactor.add("token", `value-${i}`);
    expect(redactor.text("value-0 value-1 value-2 value-3 value-4 value-5")).toBe("value-0 value-1 *** *** *** ***");
  });

  it("keys and values of a structure", () => {
    expect(knowing("canary-1", 7654321).json({ "canary-1": ["x canary-1", 7654321, 1, null, true] })).toEqual({
      "***": ["x ***", "***", 1, null, true],
    });
  });

  it("no way of writing it gets through, whatever stands around it", () => {
    const secret = fc
      .string({ unit: "grapheme", minLength: 6, maxLength: 24 })
      .filter((text) => text.trim().length >= 6 && text.isWellFormed());
    fc.assert(
      fc.property(secret, fc.string({ maxLength: 5 }), fc.string({ maxLength: 5 }), (text, before, after) => {
        const redactor = knowing(text);
        const whole = `${before}${text}${after}`;
        const core = (encode: (value: string) => string): boolean => redactor.text(encode(whole)) !== encode(whole);
        expect(redactor.text(whole)).not.toContain(text);
        expect(core((value) => JSON.stringify(value))).toBe(true);
        expect(core((value) => JSON.stringify(JSON.stringify(value)))).toBe(true);
        expect(core((value) => encodeURIComponent(value))).toBe(true);
        expect(core((value) => Buffer.from(value).toString("base64"))).toBe(true);
        expect(core((value) => Buffer.from(value).toString("base64url"))).toBe(true);
        expect(core((value) => Buffer.from(value).toString("hex"))).toBe(true);
      }),
    );
  });
});

it("the log of a host never has one", () => {
  const seen: unknown[] = [];
  const host = createHost({ env: {}, log: (...record) => seen.push(record) });
  host.log("info", "canary-1", { a: "canary-1" });
  host.redactor.add("s", "canary-1");
  host.log("info", "is canary-1", { a: ["canary-1"], n: 1 });
  expect(seen).toEqual([
    ["info", "canary-1", { a: "canary-1" }],
    ["info", "is ***", { a: ["***"], n: 1 }],
  ]);
});
