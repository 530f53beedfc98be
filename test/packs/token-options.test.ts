import { generateKeyPairSync } from "node:crypto";
import { SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { planTexts } from "../../compiler/pipeline.ts";
import { ask } from "./played/calls.ts";
import { serving, ways } from "./played/serving.ts";

// The options of a config about tokens (spec/language 6.4, 6.7), beyond what the packs use.

const secret = "0123456789abcdef0123456789abcdef";
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const variables = {
  SECRET: secret,
  KEY: rsa.publicKey.export({ type: "spki", format: "pem" }).toString(),
  PRIVATE: rsa.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
};
const token = await new SignJWT({ sub: "1" }).setProtectedHeader({ alg: "HS256" }).sign(new TextEncoder().encode(secret));
const byKey = await new SignJWT({ sub: "2", iss: "us" }).setProtectedHeader({ alg: "RS256" }).sign(rsa.privateKey);

/** A config with one action, whose tests and options are given. */
const config = (tests: string, more = ""): string => `
name: tokens
interfaces:
  t:
    method: POST
    show_error_detail: true
    actions:
      - name: A
        input: a|body|
        assert:
          http_code_on_error: 401
          tests: ${tests}
${more}`;

const texts = (text: string) => [{ file: "tokens.yml", text }];

describe.each(ways)("%s", (way) => {
  async function answer(tests: string, body: Json, more?: string): Promise<{ status: number; A: JsonObject }> {
    const service = await serving(texts(config(tests, more)), way, { variables });
    const { status, text } = await ask(service.url, { method: "POST", path: "/t", body });
    await service.close();
    return { status, A: JSON.parse(text).data.A };
  }

  test("claims go under jwt_claims, into an object, for the transforms that follow", async () => {
    const given = { token, kept: 1 };
    const all = await answer("[{ value: token, is_valid_jwt: a|ap_var::SECRET| }]", given);
    expect(all.A.data).toEqual({ ...given, jwt_claims: { sub: "1" } });
    const sub = await answer(
      "[{ value: token, is_valid_jwt: a|ap_var::SECRET| }]",
      given,
      "        post_transforms: [{ extract_value: jwt_claims.sub }]",
    );
    expect(sub.A.data).toBe("1");
  });

  test("result_key names where, even where it looks like more; a later test wins", async () => {
    const two = `[{ value: token, is_valid_jwt: a|ap_var::SECRET|, result_key: __proto__ }, { value: other, is_valid_jwt: { public_key: a|ap_var::KEY| }, result_key: token }]`;
    const { A } = await answer(two, { token, other: byKey });
    expect(Object.entries(A.data as JsonObject)).toEqual([
      ["token", { sub: "2", iss: "us" }],
      ["other", byKey],
      ["__proto__", { sub: "1" }],
    ]);
  });

  test("data that is no object stays as it is", async () => {
    const { status, A } = await answer('[{ value: "[0]", is_valid_jwt: a|ap_var::SECRET| }]', [token]);
    expect([status, A.data]).toEqual([200, [token]]);
  });

  test("nothing is put anywhere when another test fails", async () => {
    const { status, A } = await answer("[{ value: token, is_valid_jwt: a|ap_var::SECRET| }, { value: kept, is_equal_to: 2 }]", {
      token,
      kept: 1,
    });
    expect([status, A.data, A.errors]).toEqual([401, { token, kept: 1 }, ["kept::is_equal_to: expected target 1 not equal to 2"]]);
  });

  test("an optional token may be missing, but not be wrong", async () => {
    const optional = "[{ value: token, is_not_null: false, is_valid_jwt: a|ap_var::SECRET| }]";
    expect((await answer(optional, {})).status).toBe(200);
    expect((await answer(optional, { token: "x" })).A.errors).toEqual(["token::is_valid_jwt: invalid jwt: malformed"]);
  });

  test.each([
    ["{ public_key: a|ap_var::KEY|, alg: RS256, iss: us }", 200, undefined],
    ["{ public_key: a|ap_var::KEY|, alg: PS256 }", 401, "invalid jwt: algorithm not allowed"],
    ["{ public_key: a|ap_var::KEY|, iss: them }", 401, "invalid jwt: wrong issuer"],
    ["{ public_key: a|ap_var::KEY|, aud: us }", 401, "invalid jwt: wrong audience"],
    ["{ public_key: a|ap_var::SECRET| }", 401, "invalid jwt: the public key cannot be read"],
    ["{ secret: a|ap_var::KEY| }", 401, "invalid jwt: the secret is a key for asymmetric signatures"],
    ["{ secret: a|ap_var::PRIVATE| }", 401, "invalid jwt: the secret is a key for asymmetric signatures"],
    ["{ public_key: a|ap_var::UNSET| }", 401, "expected value is not set"],
    ["{ public_key: a|ap_var::KEY|, iss: a|ap_var::UNSET| }", 401, "expected value is not set"],
    ["{ public_key: a|ap_var::KEY|, aud: a|ap_var::UNSET| }", 401, "expected value is not set"],
    ["{ public_key: a|ap_var::KEY|, alg: a|ap_var::UNSET| }", 401, "expected value is not set"],
    ["a|ap_var::UNSET|", 401, "expected value is not set"],
  ])("%s: %i", async (operand, status, detail) => {
    const got = await answer(`[{ value: token, is_valid_jwt: ${operand} }]`, { token: byKey });
    expect([got.status, got.A.errors]).toEqual([status, detail === undefined ? undefined : [`token::is_valid_jwt: ${detail}`]]);
  });
});

describe("compiling", () => {
  const codes = (text: string): readonly string[] => planTexts(texts(text)).diagnostics.map(({ code, message }) => `${code} ${message}`);

  test("a map without a key, or with two", () => {
    expect(codes(config("[{ value: token, is_valid_jwt: { iss: us } }]"))).toEqual([
      "PW113 is_valid_jwt needs 'secret', 'public_key' or 'jwks_url'",
    ]);
    expect(codes(config("[{ value: token, is_valid_jwt: { secret: a|env::S|, public_key: a|env::K| } }]"))).toEqual([
      "PW115 'secret' and 'public_key' exclude each other",
    ]);
  });

  test("places in which a test may wait", () => {
    const guard = config(
      "[{ value: token, is_not_null: true }]",
      "        run_on_assertion: { tests: [{ action_value: a|body::token|, is_valid_jwt: a|env::S| }] }",
    );
    expect(codes(guard)).toEqual([]);
    const whole = config("[{ value: token, is_not_null: true }]", "    assert: { tests: [{ value: token, is_valid_jwt: a|env::S| }] }");
    expect(codes(whole)).toEqual([]);
  });
});
