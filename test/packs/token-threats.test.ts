import { generateKeyPairSync } from "node:crypto";
import { CompactSign, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Json } from "#runtime/value/json.ts";
import { tokenPart } from "../runtime/keys/token-text.ts";
import { packFolder } from "./packs.ts";
import { ask } from "./played/calls.ts";
import { rowCounts, type Service, serving, type World, ways } from "./played/serving.ts";
import { jwtSecret, sqliteWorld } from "./played/worlds.ts";

// Tokens that a caller may send to the pack's own guarded endpoint: only a good one passes, and no part of the secret comes back.

const pack = "sqlite-rest-api-starter";
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const seconds = Math.floor(Date.now() / 1000);
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const pem = rsa.publicKey.export({ type: "spki", format: "pem" }).toString();

const signed = (claims: Readonly<Record<string, Json>>, secret = jwtSecret, alg = "HS256"): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg }).sign(bytes(secret));

const good = await signed({ sub: "1", exp: seconds + 3600 });
const [head = "", , seal = ""] = good.split(".");
const withHeader = (header: Readonly<Record<string, Json>>): Promise<string> =>
  new CompactSign(bytes('{"sub":"1"}'))
    .setProtectedHeader({ alg: "HS256", ...header })
    .sign(bytes(jwtSecret), { crit: { "x-ours": true } });

const threats: Readonly<Record<string, Json>> = {
  "no signature at all": `${tokenPart({ alg: "none" })}.${tokenPart({ sub: "1" })}.`,
  "no signature, in other letters": `${tokenPart({ alg: "nOnE" })}.${tokenPart({ sub: "1" })}.`,
  "no algorithm": `${tokenPart({ typ: "JWT" })}.${tokenPart({ sub: "1" })}.${seal}`,
  "a stronger algorithm than the one that is configured": await signed({ sub: "1" }, jwtSecret, "HS512"),
  "an asymmetric algorithm": await new SignJWT({ sub: "1" }).setProtectedHeader({ alg: "RS256" }).sign(rsa.privateKey),
  "the wrong secret": await signed({ sub: "1" }, jwtSecret.replace("5d", "5e")),
  "the secret with more behind it": await signed({ sub: "1" }, `${jwtSecret} `),
  "an empty signature": `${head}.${tokenPart({ sub: "1" })}.`,
  "other claims under a good signature": `${head}.${tokenPart({ sub: "2" })}.${seal}`,
  expired: await signed({ sub: "1", exp: seconds - 120 }),
  "not valid yet": await signed({ sub: "1", nbf: seconds + 120 }),
  "an end that is no number": await signed({ sub: "1", exp: "never" }),
  "an extension that nobody knows": await withHeader({ crit: ["x-ours"], "x-ours": true }),
  "five parts, as of an encrypted one": `${head}.a.b.c.${seal}`,
  "two parts": `${head}.${tokenPart({ sub: "1" })}`,
  "no Base64": "%%%.%%%.%%%",
  "claims that are no object": await new CompactSign(bytes("[1]")).setProtectedHeader({ alg: "HS256" }).sign(bytes(jwtSecret)),
  "claims that are no JSON": await new CompactSign(bytes("{")).setProtectedHeader({ alg: "HS256" }).sign(bytes(jwtSecret)),
  "good, but larger than any token": await signed({ sub: "1", pad: "x".repeat(20_000) }),
  "a megabyte of dots": ".".repeat(1_000_000),
  "an empty text": "",
  "only the word Bearer": "Bearer ",
  "a number": 1,
  "a list with a good one": [good],
  "an object": { token: good },
  nothing: null,
};

const misconfigured: readonly (readonly [string, Json | undefined, string])[] = [
  ["an unset one", undefined, good],
  ["an empty one", "", await signed({ sub: "1" }, "\0")],
  ["a public key, which everybody knows", pem, await signed({ sub: "1" }, pem)],
  ["a JWK", { kty: "oct", k: "c2VjcmV0" }, await signed({ sub: "1" }, "secret")],
  ["a list", [jwtSecret], await signed({ sub: "1" }, JSON.stringify([jwtSecret]))],
];

describe.skipIf(packFolder(pack) === undefined).each(ways)("tokens, %s", (way) => {
  let world: World;
  let service: Service;
  const me = (token: Json, { url }: Service = service) => ask(url, { method: "POST", path: "/api/me", body: { token } });
  beforeAll(async () => {
    world = await sqliteWorld();
    service = await serving(world.texts, way, { variables: world.variables });
    await ask(service.url, { method: "POST", path: "/api/seed" });
  });
  afterAll(async () => {
    await service.close();
    await world.close();
  });

  test.each(Object.entries(threats))("refused: %s", async (_what, token) => {
    const got = await me(token);
    expect(got.status).toBe(401);
    const { ValidateToken, GetCurrentUser } = JSON.parse(got.text).data;
    expect(ValidateToken).toEqual({ data: { token }, error: "Invalid or missing token", "time.ms": expect.any(Number) });
    expect(GetCurrentUser.data).toBe(null);
    expect(got.text).not.toContain(jwtSecret);
  });

  test.each([good, `Bearer ${good}`, `bearer  ${good}`])("accepted: a good one, also after the word Bearer", async (token) => {
    expect((await me(token)).status).toBe(200);
  });

  test("key addresses inside a token are not followed", async () => {
    const lured = await withHeader({ kid: "../../dev/null", jku: "http://127.0.0.1:1/keys", x5u: "http://127.0.0.1:1/cert" });
    expect((await me(lured)).status).toBe(200);
  });

  test.each([
    ["nobody", "99"],
    ["SQL", "1 OR 1=1"],
    ["more SQL", "1; DROP TABLE users"],
    ["an object", { $ne: 0 }],
    ["null", null],
  ])("a good token of %s finds no user", async (_who, sub) => {
    const got = await me(await signed({ sub }));
    expect([got.status, JSON.parse(got.text).data.GetCurrentUser.error]).toEqual([404, "User not found"]);
    expect(await rowCounts(world)).toEqual([3, 5, 5]);
  });

  test.each(misconfigured)("with %s as secret nothing passes", async (_what, secret, token) => {
    const other = await serving(world.texts, way, { variables: secret === undefined ? {} : { JWT_SECRET: secret } });
    const answers = [await me(token, other), await me(good, other)];
    await other.close();
    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
  });

  test("neither the secret nor a token is in the log, and it says no more than who was refused", () => {
    const log = service.log.join("\n");
    for (const hidden of [jwtSecret, good, seal, "eyJ"]) expect(log).not.toContain(hidden);
    expect(log).toContain("PW904 Invalid or missing token");
    expect(log).not.toMatch(/critical/);
  });
});
