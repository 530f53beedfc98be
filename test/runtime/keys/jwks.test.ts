import { generateKeyPairSync, type KeyObject } from "node:crypto";
import type { ServerResponse } from "node:http";
import { exportJWK, SignJWT } from "jose";
import { afterEach, beforeEach, expect, test } from "vitest";
import { is_valid_jwt, prepare } from "#runtime/features/matchers/is_valid_jwt.ts";
import { createHost, type Host } from "#runtime/process/host.ts";
import { LiveRun } from "#runtime/run/live-run.ts";
import type { Json } from "#runtime/value/json.ts";
import { planTexts } from "../../../compiler/pipeline.ts";
import { emptyRequest } from "../../harness/run-once.ts";
import { type Stub, stub } from "../../harness/sockets.ts";

// Key sets of providers (spec/language 6.7): rotation, outages and answers that are none.

interface Pair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

const [a, b]: Pair[] = [generateKeyPairSync("rsa", { modulusLength: 2048 }), generateKeyPairSync("rsa", { modulusLength: 2048 })];
const ec: Pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
const minute = 60_000;

async function setOf(pairs: Readonly<Record<string, Pair | undefined>>): Promise<string> {
  const keys = await Promise.all(
    Object.entries(pairs).map(async ([kid, pair]) => ({ ...(await exportJWK(pair?.publicKey as KeyObject)), kid })),
  );
  return JSON.stringify({ keys });
}

const signed = (kid: string, { privateKey }: Pair, alg = "RS256"): Promise<string> =>
  new SignJWT({ sub: kid }).setProtectedHeader({ alg, kid }).sign(privateKey);

let provider: Stub;
let answer: (response: ServerResponse) => void;
let passed: number;
let logged: string[];
let host: Host;

beforeEach(async () => {
  [passed, logged] = [0, []];
  provider = await stub((response) => answer(response));
  const real = createHost({ log: (_, msg) => logged.push(msg) });
  // The cache goes by a clock that the test moves.
  host = { ...real, monotonic: () => passed };
});
afterEach(async () => {
  await host.close();
  await provider.close();
});

const serves = (text: string, status = 200): void => {
  answer = (response) => response.writeHead(status, { "content-type": "application/json" }).end(text);
};

async function verdict(token: string, more: Json = {}): Promise<Json> {
  const target = { name: "t", output: "none", run: () => undefined } as const;
  const config = { name: "t", interfaces: [target], needs: { env: [], vars: [], secrets: [] } };
  const options = typeof more === "object" && more !== null && !Array.isArray(more) ? more : {};
  const said = await is_valid_jwt(
    token,
    prepare({ jwks_url: `${provider.url}/keys?secret=1`, ...options }),
    new LiveRun(host, config, target, emptyRequest),
  );
  return typeof said === "object" && "found" in said ? said.found : (said as Json);
}

const claims = (sub: string): Json => ({ jwt_claims: { sub } });

test("the key is found by its id, and the set is fetched once for all", async () => {
  serves(await setOf({ one: a, two: ec }));
  expect(await Promise.all([verdict(await signed("one", a as Pair)), verdict(await signed("two", ec, "ES256"))])).toEqual([
    claims("one"),
    claims("two"),
  ]);
  expect(await verdict(await signed("one", b as Pair))).toBe("invalid jwt: wrong signature");
  expect(await verdict(await signed("one", a as Pair), { alg: "ES256" })).toBe("invalid jwt: algorithm not allowed");
  expect(provider.seen.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /keys?secret=1"]);
});

test("a shared secret in the set signs nothing", async () => {
  serves(
    JSON.stringify({
      keys: [{ kty: "oct", kid: "s", alg: "HS256", k: Buffer.from("0123456789abcdef0123456789abcdef").toString("base64url") }],
    }),
  );
  const token = await new SignJWT({}).setProtectedHeader({ alg: "HS256", kid: "s" }).sign(Buffer.from("0123456789abcdef0123456789abcdef"));
  expect(await verdict(token)).toBe("invalid jwt: algorithm not allowed");
});

test("a new key is looked for, but not more than once in half a minute", async () => {
  serves(await setOf({ one: a }));
  expect(await verdict(await signed("one", a as Pair))).toEqual(claims("one"));
  serves(await setOf({ two: b }));
  const token = await signed("two", b as Pair);
  expect(await verdict(token)).toBe("invalid jwt: no key of the set fits");
  passed += minute / 2 - 1;
  expect(await verdict(token)).toBe("invalid jwt: no key of the set fits");
  expect(provider.seen).toHaveLength(1);
  passed += 1;
  expect(await verdict(token)).toEqual(claims("two"));
  // A key that the provider has withdrawn counts no more.
  expect(await verdict(await signed("one", a as Pair))).toBe("invalid jwt: no key of the set fits");
  for (let i = 0; i < 5; i++) await verdict(await signed(`unknown ${i}`, a as Pair));
  expect(provider.seen).toHaveLength(2);
});

test("a withdrawn key is forgotten after ten minutes at the latest", async () => {
  serves(await setOf({ one: a }));
  const token = await signed("one", a as Pair);
  await verdict(token);
  serves(await setOf({ two: b }));
  passed += 9 * minute;
  expect(await verdict(token)).toEqual(claims("one"));
  passed += minute;
  expect(await verdict(token)).toBe("invalid jwt: no key of the set fits");
});

test("an outage is bridged for an hour", async () => {
  serves(await setOf({ one: a }));
  const token = await signed("one", a as Pair);
  await verdict(token);
  serves("out of order", 503);
  passed += 30 * minute;
  expect(await verdict(token)).toEqual(claims("one"));
  expect(await verdict(token)).toEqual(claims("one"));
  expect(provider.seen).toHaveLength(2);
  passed += 31 * minute;
  expect(await verdict(token)).toBe("invalid jwt: no key set");
  serves(await setOf({ one: a }));
  passed += minute;
  expect(await verdict(token)).toEqual(claims("one"));
  expect(logged).toEqual(Array.from({ length: 2 }, () => `key set of ${provider.url}/keys: status 503`));
});

test.each([
  ["what is too long", () => serves(" ".repeat(300_000)), "longer than 262144 bytes"],
  ["no JSON", () => serves("<html>"), "no JSON"],
  ["no set", () => serves("{}"), "not a set of keys"],
  ["null", () => serves("null"), "not a set of keys"],
  ["too many keys", () => serves(JSON.stringify({ keys: Array(101).fill({ kty: "RSA" }) })), "not a set of keys"],
  ["no keys", () => serves(JSON.stringify({ keys: [1] })), "not a set of keys"],
  ["another address", () => (answer = (response) => response.writeHead(302, { location: "/elsewhere" }).end()), "status 302"],
  ["nothing", () => (answer = (response) => response.destroy()), "other side closed"],
])("a provider that answers with %s", async (_, given, reason) => {
  given();
  expect(await verdict(await signed("one", a as Pair))).toBe("invalid jwt: no key set");
  expect(logged).toEqual([expect.stringContaining(reason)]);
  expect(logged.join()).not.toContain("secret");
  expect(provider.seen).toHaveLength(1);
});

test("what is no address", async () => {
  expect(await verdict(await signed("one", a as Pair), { jwks_url: "file:///keys" })).toBe(
    "invalid jwt: the address of the key set is no url",
  );
});

test("only the configuration says where keys are", () => {
  const codes = (url: string): readonly string[] =>
    planTexts([
      {
        file: "t.yaml",
        text: `name: t\ninterfaces:\n  t:\n    method: POST\n    actions:\n      - name: A\n        input: a|body|\n        assert: { tests: [{ value: token, is_valid_jwt: { jwks_url: "${url}" } }] }\n`,
      },
    ]).diagnostics.map(({ code }) => code);
  expect(codes("https://a.example/a|env::TENANT|/keys")).toEqual([]);
  expect(codes("a|body::keys|")).toEqual(["PW206"]);
  expect(codes("https://a|headers::host|/keys")).toEqual(["PW206"]);
});
