import { createHmac } from "node:crypto";
import { jwtVerify } from "jose";
import { describe, expect, test } from "vitest";
import { verifyToken } from "#runtime/keys/jwt.ts";

// Signatures with a shared secret are checked without the library, which must never be the stricter one. Only the text of the signature is
// ours to judge: the library also takes other texts of the same bytes, by which a list of refused tokens could be passed.

const secret = "0123456789abcdef0123456789abcdef";
const now = Date.UTC(2026, 0, 1);
const seconds = now / 1000;
const digests: Readonly<Record<string, string>> = { HS256: "sha256", HS384: "sha384", HS512: "sha512" };
const coded = (text: string): string => Buffer.from(text).toString("base64url");

/** A token whose header may say something else than what it is signed with. */
function signed(header: string, claims: string, hash = "sha256", key = secret): string {
  const message = `${coded(header)}.${coded(claims)}`;
  return `${message}.${createHmac(hash, key).update(message).digest("base64url")}`;
}

/** The claims that the library gives, or undefined. */
async function accepted(token: string, algorithms: readonly string[]): Promise<unknown> {
  const options = { algorithms: [...algorithms], clockTolerance: 60, currentDate: new Date(now) };
  return jwtVerify(token, Buffer.from(secret), options).then(
    ({ payload }) => payload,
    () => undefined,
  );
}

const isCanonical = (text: string): boolean => Buffer.from(text, "base64url").toString("base64url") === text;

async function agrees(token: string, algorithms: readonly string[]): Promise<void> {
  const got = await verifyToken(token, { key: secret, algorithms }, now);
  const expected = isCanonical(token.split(".")[2] ?? "") ? await accepted(token, algorithms) : undefined;
  expect(typeof got === "string" ? undefined : got, token).toEqual(expected);
}

const good = signed('{"alg":"HS256"}', '{"sub":"1"}');
const [head = "", body = "", seal = ""] = good.split(".");

const strange: readonly string[] = [
  signed('{"alg":"HS256"}', '{"sub":"1"}', "sha512"),
  signed('{"alg":"HS512"}', '{"sub":"1"}', "sha256"),
  signed('{"alg":"none"}', '{"sub":"1"}'),
  signed('{"alg":"RS256"}', '{"sub":"1"}'),
  signed('{"alg":["HS256"]}', '{"sub":"1"}'),
  signed("{}", '{"sub":"1"}'),
  signed("[]", '{"sub":"1"}'),
  signed("no JSON", '{"sub":"1"}'),
  signed('\ufeff{"alg":"HS256"}', '\ufeff{"sub":"1"}'),
  signed('{"alg":"HS256","crit":["exp"],"exp":1}', '{"sub":"1"}'),
  signed('{"alg":"HS256","crit":["b64"],"b64":false}', '{"sub":"1"}'),
  signed('{"alg":"HS256","crit":["b64"],"b64":true}', '{"sub":"1"}'),
  signed('{"alg":"HS256","crit":null}', '{"sub":"1"}'),
  signed('{"alg":"HS256","b64":false}', '{"sub":"1"}'),
  signed('{"alg":"HS256"}', "[1]"),
  signed('{"alg":"HS256"}', "{"),
  signed('{"alg":"HS256"}', '{"sub":"1","sub":"2"}'),
  signed('{"alg":"HS256"}', `{"exp":${seconds - 59}}`),
  signed('{"alg":"HS256"}', `{"exp":${seconds - 60}}`),
  signed('{"alg":"HS256"}', `{"nbf":${seconds + 60}}`),
  signed('{"alg":"HS256"}', `{"nbf":${seconds + 61}}`),
  signed('{"alg":"HS256"}', '{"exp":"never"}'),
  signed('{"alg":"HS256"}', '{"sub":"1"}', "sha256", `${secret} `),
  ...[
    `${head}.${body}.`,
    `${head}.${body}`,
    `.${body}.${seal}`,
    `${head}..${seal}`,
    `${good}.`,
    ` ${good}`,
    `${good}\n`,
    "",
    "..",
    "a.b.c",
  ],
  // Bits and characters behind the last byte of a signature.
  ...["=", "A", "AA", "AAA", "AAAA", " ", "\n", "+", "/", "\u00e9"].map((more) => `${good}${more}`),
  `${head}.${body}.${seal.slice(0, -1)}${seal.endsWith("A") ? "B" : String.fromCharCode((seal.at(-1) ?? "A").charCodeAt(0) + 1)}`,
  `${head}.${body}.${seal.replaceAll("-", "+").replaceAll("_", "/")}`,
  `${head}=.${body}.${seal}`,
];

const choices: readonly (readonly string[])[] = [["HS256"], ["HS512"], ["RS256"], [], ["HS256", "HS384", "HS512"]];

describe.each(choices.map((algorithms) => ({ algorithms })))("with $algorithms", ({ algorithms }) => {
  test.each(Object.entries(digests))("a good token of %s", async (alg, hash) => {
    const token = signed(JSON.stringify({ alg }), '{"sub":"1"}', hash);
    await agrees(token, algorithms);
    if (algorithms.includes(alg)) expect(await verifyToken(token, { key: secret, algorithms }, now)).toEqual({ sub: "1" });
  });

  test("what is strange is accepted only where the library does", async () => {
    for (const token of strange) await agrees(token, algorithms);
  });

  test("no character of a token can be another one", async () => {
    for (let i = 0; i < good.length; i++) {
      for (const other of [".", "A", "-", "z"]) {
        const forged = `${good.slice(0, i)}${other}${good.slice(i + 1)}`;
        await agrees(forged, algorithms);
      }
    }
  });
});
