import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { badSecret, type Hash, hmacOf, sameBytes } from "../../../runtime/keys/hmac.ts";

const repeated = (byte: number, times: number): Buffer => Buffer.alloc(times, byte);
const counted = Buffer.from(Array.from({ length: 25 }, (_, i) => i + 1));

/** RFC 2202 (SHA-1) and RFC 4231 (SHA-256, SHA-512): key, data, digest. */
const vectors: readonly (readonly [string, Hash, Buffer | string, Buffer | string, string])[] = [
  ["case 1", "sha1", repeated(0x0b, 20), "Hi There", "b617318655057264e28bc0b6fb378c8ef146be00"],
  ["case 2", "sha1", "Jefe", "what do ya want for nothing?", "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"],
  ["case 3", "sha1", repeated(0xaa, 20), repeated(0xdd, 50), "125d7342b9ac11cd91a39af48aa17b4f63f175d3"],
  ["case 4", "sha1", counted, repeated(0xcd, 50), "4c9007f4026250c6bc8414f9bf50c86c2d7235da"],
  [
    "case 6",
    "sha1",
    repeated(0xaa, 80),
    "Test Using Larger Than Block-Size Key - Hash Key First",
    "aa4ae5e15272d00e95705637ce8a3b55ed402112",
  ],
  ["case 1", "sha256", repeated(0x0b, 20), "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"],
  ["case 2", "sha256", "Jefe", "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"],
  ["case 3", "sha256", repeated(0xaa, 20), repeated(0xdd, 50), "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"],
  ["case 4", "sha256", counted, repeated(0xcd, 50), "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"],
  [
    "case 6",
    "sha256",
    repeated(0xaa, 131),
    "Test Using Larger Than Block-Size Key - Hash Key First",
    "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
  ],
  [
    "case 1",
    "sha512",
    repeated(0x0b, 20),
    "Hi There",
    "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cdedaa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854",
  ],
  [
    "case 3",
    "sha512",
    repeated(0xaa, 20),
    repeated(0xdd, 50),
    "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb",
  ],
];

it.each(vectors)("%s of %s", (_, hash, key, message, digest) => {
  expect(hmacOf(hash, key, message).toString("hex")).toBe(digest);
});

/** Lengths around those of blocks, and of the longest message that is copied. */
const lengths = [0, 1, 31, 63, 64, 65, 127, 128, 129, 200, 2047, 2048, 2049, 5000];

it.each(["sha1", "sha256", "sha384", "sha512"] as const)("%s is that of OpenSSL for keys and messages of every length", (hash) => {
  for (const [letter, bytes] of [
    ["a", 1],
    ["é", 2],
    ["€", 3],
  ] as const)
    for (const key of lengths.slice(0, 10))
      for (const length of lengths) {
        const [secret, message] = [letter.repeat(key), letter.repeat(length)];
        const digest = createHmac(hash, secret).update(message).digest("hex");
        const said = `a key of ${key} and a message of ${length} characters of ${bytes} bytes`;
        expect(hmacOf(hash, secret, message).toString("hex"), said).toBe(digest);
        expect(hmacOf(hash, Buffer.from(secret), Buffer.from(message)).toString("hex"), said).toBe(digest);
      }
});

it("keeps a digest that was given when the next one is made", () => {
  const first = hmacOf("sha256", "key", "one");
  const text = first.toString("hex");
  hmacOf("sha256", "other", "two");
  expect(first.toString("hex")).toBe(text);
});

it("signs a token as RFC 7515, A.1 does", () => {
  const key = Buffer.from("AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow", "base64url");
  const signed =
    "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
  expect(hmacOf("sha256", key, signed).toString("base64url")).toBe("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
});

it("compares bytes of any lengths", () => {
  const bytes = (text: string): Buffer => Buffer.from(text);
  expect(sameBytes(bytes("abc"), bytes("abc"))).toBe(true);
  expect(sameBytes(bytes("abc"), bytes("abd"))).toBe(false);
  expect(sameBytes(bytes("abc"), bytes("ab"))).toBe(false);
  expect(sameBytes(bytes(""), bytes(""))).toBe(true);
});

describe("what is no secret", () => {
  it.each([
    "",
    "-----BEGIN PUBLIC KEY-----\nMCow",
    "\n-----BEGIN RSA PRIVATE KEY-----",
    "-----BEGIN CERTIFICATE-----",
    '{"kty":"RSA","n":"AQAB"}',
    ' {"keys": []}',
  ])("%j", (secret) => {
    const reason = badSecret(secret);
    expect(reason).toMatch(/^the secret is /);
    if (secret !== "") expect(reason).not.toContain(secret);
  });

  it.each(["k", "{}", "whsec_-----BEGIN", " "])("but %j is one", (secret) => {
    expect(badSecret(secret)).toBeUndefined();
  });
});
