import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesOf } from "../../../runtime/value/bytes.ts";

const textOf = (...args: Parameters<typeof bytesOf>): string | undefined => bytesOf(...args)?.toString();

describe("Base32 (RFC 4648, section 10)", () => {
  it.each([
    ["", ""],
    ["MY======", "f"],
    ["MZXQ====", "fo"],
    ["MZXW6===", "foo"],
    ["MZXW6YQ=", "foob"],
    ["MZXW6YTB", "fooba"],
    ["MZXW6YTBOI======", "foobar"],
  ])("%s", (written, text) => {
    expect(textOf(written, "base32")).toBe(text);
  });

  it("as people copy it", () => {
    expect(textOf(" mzxw 6ytb-oi ", "base32")).toBe("foobar");
    expect(textOf("MZXW6YTBO", "base32")).toBe("fooba");
  });

  it.each(["MZXW1", "MZ=XW", "é"])("not %s", (written) => {
    expect(bytesOf(written, "base32")).toBeUndefined();
  });
});

describe("Base64 (RFC 4648, section 10)", () => {
  it.each([
    ["Zg==", "f"],
    ["Zm8=", "fo"],
    ["Zm9v", "foo"],
    ["Zm9vYg", "foob"],
    ["Zm9v\nYmE", "fooba"],
  ])("%s", (written, text) => {
    expect(textOf(written, "base64")).toBe(text);
  });

  it("has two alphabets", () => {
    expect(bytesOf("+/8=", "base64")).toEqual(bytesOf("-_8", "base64"));
  });

  it.each(["Z", "Zg=", "Zm9v=", "Zg===", "=", "Z.==", "Zg==Zg=="])("not %s", (written) => {
    expect(bytesOf(written, "base64")).toBeUndefined();
  });

  it("is read as it is written", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 50 }), fc.constantFrom("base64", "base64url" as const), (bytes, alphabet) => {
        expect(bytesOf(Buffer.from(bytes).toString(alphabet), "base64")).toEqual(Buffer.from(bytes));
      }),
    );
  });
});

it("hex in any case, of whole bytes", () => {
  expect(textOf("666F6f", "hex")).toBe("foo");
  for (const written of ["6", "66 6f", "0x66", "6g"]) expect(bytesOf(written, "hex")).toBeUndefined();
});

it("ASCII and nothing else", () => {
  expect(textOf("a\0~", "ascii")).toBe("a\0~");
  for (const written of ["é", "\u0080", "😀"]) expect(bytesOf(written, "ascii")).toBeUndefined();
});
