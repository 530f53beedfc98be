import { createHmac } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { verifyToken } from "#runtime/keys/jwt.ts";
import { agrees, coded, families, keyOf, kinds, makeKeys, now, pairs, sealOf, seconds } from "./tokens-library.ts";

// Our verifier of tokens against jose: what is accepted, and the words about what is not, are those of jose. Two things are stricter, as
// `expected` says: a token has one text, and its parts are bounded as JSON from outside is.

beforeAll(makeKeys);

test.each([
  ["HS256", "secret"],
  ["HS384", "secret"],
  ["HS512", "secret"],
  ["RS256", "rsa"],
  ["RS384", "rsa"],
  ["RS512", "rsa"],
  ["ES256", "P-256"],
  ["ES384", "P-384"],
  ["PS256", "rsa"],
  ["PS384", "rsa"],
  ["ES512", "P-521"],
  ["EdDSA", "ed25519"],
])("a good token of %s is verified at once", async (alg, kind) => {
  const message = `${coded(JSON.stringify({ alg, typ: "JWT" }))}.${coded(JSON.stringify({ sub: "1", exp: seconds + 1 }))}`;
  const token = `${message}.${coded(sealOf(message, alg, kind, "ieee-p1363"))}`;
  const claims = { sub: "1", exp: seconds + 1 };
  expect(verifyToken(token, { key: keyOf(kind), algorithms: [alg] }, now)).toEqual(claims);
  expect(await agrees(token, keyOf(kind), { algorithms: [alg] })).toEqual(claims);
  for (const more of ["A", "AA", "AAA", "AAAA", "=", "."]) await agrees(`${token}${more}`, keyOf(kind), { algorithms: [alg] });
});

test.each(kinds)("the text of a public key of type %s is no secret of HMAC", async (kind) => {
  const pem = pairs[kind]?.publicKey.export({ type: "spki", format: "pem" }).toString() ?? "";
  const message = `${coded('{"alg":"HS256"}')}.${coded('{"sub":"1"}')}`;
  const token = `${message}.${createHmac("sha256", pem).update(message).digest("base64url")}`;
  expect(await agrees(token, keyOf(kind), { algorithms: [...families] })).not.toBeTypeOf("object");
});

test.each(["x", "0123456789abcdef", "\u00e9", "\ud83d\ude00", "\ud800", " ", "k".repeat(1000)])(
  "the secret %j is that of the library",
  async (key) => {
    for (const bits of [256, 384, 512]) {
      const message = `${coded(`{"alg":"HS${bits}"}`)}.${coded('{"sub":"1"}')}`;
      const token = `${message}.${createHmac(`sha${bits}`, key).update(message).digest("base64url")}`;
      await agrees(token, key, { algorithms: ["HS256", "HS384", "HS512"] });
    }
  },
);

test("a token has one text: its signature is strict Base64url, for each kind of key", async () => {
  for (const [kind, alg] of [
    ["secret", "HS256"],
    ["rsa", "RS256"],
    ["rsa", "PS256"],
    ["P-256", "ES256"],
    ["ed25519", "EdDSA"],
  ] as const) {
    const message = `${coded(JSON.stringify({ alg }))}.${coded('{"sub":"1"}')}`;
    const token = `${message}.${coded(sealOf(message, alg, kind, "ieee-p1363"))}`;
    const agreed = (text: string) => agrees(text, keyOf(kind), { algorithms: [alg] });
    expect(await agreed(token), alg).toEqual({ sub: "1" });
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const last = alphabet.indexOf(token.slice(-1));
    // The last character of these signatures holds two or four bits that are zero.
    const others = [
      `${token.slice(0, -1)}${alphabet[last + 1]}`,
      `${token}=`,
      `${token}==`,
      `${token} `,
      `${token}\n`,
      `${token.slice(0, -3)} ${token.slice(-3)}`,
    ];
    for (const other of others) expect(await agreed(other), `${alg} ${JSON.stringify(other.slice(-6))}`).toBe("malformed");
  }
});
