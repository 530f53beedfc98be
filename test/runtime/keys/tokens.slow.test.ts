import { constants, createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import fc from "fast-check";
import { createLocalJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from "jose";
import { beforeAll, expect, test } from "vitest";
import { parseJson } from "#runtime/formats/json-text.ts";
import { type KeyFinder, type TokenRules, verifyToken } from "#runtime/keys/jwt.ts";
import { keySetOf } from "#runtime/keys/key-set.ts";

// Our verifier of tokens against jose: what is accepted, and the words about what is not, are those of jose. Two things are stricter, as
// `expected` says: a token has one text, and its parts are bounded as JSON from outside is.

const now = Date.UTC(2026, 0, 1);
const seconds = now / 1000;
const secret = "0123456789abcdef0123456789abcdef";
const families = ["RS256", "RS384", "RS512", "PS256", "PS384", "ES256", "ES384", "ES512", "EdDSA", "HS256", "HS384", "HS512"] as const;

interface Pair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

let pairs: Readonly<Record<string, Pair>>;
/** Key sets of providers: one of each key, and one of all. */
let sets: Readonly<Record<string, { readonly own: KeyFinder; readonly library: JWTVerifyGetKey }>>;
beforeAll(async () => {
  pairs = {
    rsa: generateKeyPairSync("rsa", { modulusLength: 2048 }),
    "short rsa": generateKeyPairSync("rsa", { modulusLength: 1024 }),
    "P-256": generateKeyPairSync("ec", { namedCurve: "P-256" }),
    "P-384": generateKeyPairSync("ec", { namedCurve: "P-384" }),
    "P-521": generateKeyPairSync("ec", { namedCurve: "P-521" }),
    ed25519: generateKeyPairSync("ed25519"),
  };
  const keys = Object.entries(pairs).map(([kind, { publicKey }]) => [kind, publicKey.export({ format: "jwk" })] as const);
  const members = [...keys.map(([kind, key]) => [kind, [key]] as const), ["all", keys.map(([, key]) => key)] as const];
  sets = Object.fromEntries(
    members.map(([kind, keys]) => {
      const set = JSON.stringify({ keys });
      const find = keySetOf(JSON.parse(set));
      return [kind, { own: async (alg, kid) => find?.(alg, kid) ?? "no set", library: createLocalJWKSet(JSON.parse(set)) }];
    }),
  );
});

const kinds = ["rsa", "short rsa", "P-256", "P-384", "P-521", "ed25519"] as const;

const coded = (text: string | Buffer): string => Buffer.from(text).toString("base64url");

/** The signature of a message by a key and the hash of an algorithm, whether the algorithm is one of the key or not. */
function sealOf(message: string, alg: string, kind: string, dsaEncoding: "ieee-p1363" | "der"): Buffer {
  const hash = `sha${/\d+$/.exec(alg)?.[0] ?? 256}`;
  const key = pairs[kind]?.privateKey;
  if (key === undefined || alg.startsWith("HS")) return createHmac(hash, secret).update(message).digest();
  const pss = alg.startsWith("PS") && key.asymmetricKeyType === "rsa";
  const padding = pss ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST } : {};
  return sign(kind === "ed25519" ? null : hash, Buffer.from(message), { key, dsaEncoding, ...padding });
}

type Rules = Omit<TokenRules, "key">;

/** The verdict of jose about a token, in our words. */
async function byLibrary(token: string, key: string | KeyObject | JWTVerifyGetKey, rules: Rules): Promise<object | string> {
  const { algorithms, issuer, audience, requireExpiry } = rules;
  try {
    const find = typeof key === "function" ? key : () => (typeof key === "string" ? Buffer.from(key) : key);
    const { payload } = await jwtVerify(token, find, {
      algorithms: [...algorithms],
      clockTolerance: 60,
      currentDate: new Date(now),
      ...(requireExpiry === true ? { requiredClaims: ["exp"] } : {}),
      ...(issuer === undefined ? {} : { issuer }),
      ...(audience === undefined ? {} : { audience }),
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JWTExpired) return "expired";
    if (error instanceof errors.JWTClaimValidationFailed) return claimReason(error.claim, error.reason);
    if (error instanceof errors.JOSEAlgNotAllowed) return "algorithm not allowed";
    if (error instanceof errors.JWSSignatureVerificationFailed) return "wrong signature";
    if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid) return "malformed";
    // A set of public keys has none for HMAC.
    const isUnsuited = error instanceof errors.JOSENotSupported && error.message.includes("JSON Web Key Set");
    if (isUnsuited || error instanceof errors.JWKSNoMatchingKey) return "no key of the set fits";
    return "cannot be verified";
  }
}

function claimReason(claim: string, reason: string): string {
  if (claim === "nbf" && reason === "check_failed") return "not valid yet";
  if (claim === "exp" && reason === "missing") return "no exp claim";
  if (claim === "iss") return "wrong issuer";
  if (claim === "aud") return "wrong audience";
  return "malformed claims";
}

const decoded = (part: string): string => Buffer.from(part, "base64url").toString();

/** The verdicts that we may give about a token of which jose gives this one. */
function expected(token: string, library: object | string): readonly (object | string)[] {
  const [, head = "", body = "", seal] = /^([\w-]+)\.([\w-]+)\.([\w-]*)$/.exec(token) ?? [];
  const isStrict = seal !== undefined && Buffer.from(seal, "base64url").toString("base64url") === seal;
  if (!isStrict) return ["malformed"];
  if (parseJson(decoded(head)) === undefined) return ["malformed"];
  // A critical header is judged before the algorithm and the signature.
  if (typeof library === "string" && decoded(head).includes('"crit"')) return [library, "malformed", "cannot be verified"];
  if (parseJson(decoded(body)) === undefined) return typeof library === "string" ? [library, "malformed"] : ["malformed"];
  return [library];
}

/** Gives what was said. */
async function agrees(
  token: string,
  key: string | KeyObject | { readonly own: KeyFinder; readonly library: JWTVerifyGetKey },
  rules: Rules,
): Promise<unknown> {
  const [own, judge] = typeof key === "object" && "own" in key ? [key.own, key.library] : [key, key];
  const said = await verifyToken(token, { key: own, ...rules }, now);
  const choices = expected(token, await byLibrary(token, judge, rules));
  expect(
    choices.map((choice) => JSON.stringify(choice)),
    token,
  ).toContain(JSON.stringify(said));
  return said;
}

const keyOf = (kind: string): string | KeyObject => pairs[kind]?.publicKey ?? secret;

const strangeHeaders = (suitable: string): fc.Arbitrary<string> =>
  fc.oneof(
    fc
      .record(
        {
          alg: fc.constantFrom<unknown>(
            ...[suitable, suitable, suitable, suitable, ...families, "none", "hs256", "HS256 ", "HS2566", "HS", "", null, ["HS256"], 256],
          ),
          typ: fc.constantFrom<unknown>("JWT", "at+jwt", 1),
          crit: fc.constantFrom<unknown>(null, [], ["b64"], ["exp"], "b64", ["b64", "b64"], [1]),
          b64: fc.constantFrom<unknown>(true, false, "false"),
          exp: fc.constantFrom<unknown>(1, null),
          kid: fc.string(),
          jwk: fc.constant({ kty: "oct", k: "AAAA" }),
        },
        { requiredKeys: ["alg"] },
      )
      .map((header) => JSON.stringify(header)),
    fc.constantFrom(
      '{"alg":"none","alg":"HS256"}',
      '{"alg":"HS256","alg":"none"}',
      '{"__proto__":{"alg":"HS256"}}',
      '{"alg":"HS256","__proto__":{"crit":["exp"]}}',
      ' {"alg" : "HS256"}\n',
      '\ufeff{"alg":"HS256"}',
      '\ufeff\ufeff{"alg":"HS256"}',
      '{"alg":"\\u0048S256"}',
      "null",
      "[]",
      "[",
      "",
      "\xff",
    ),
  );

/** Mostly within the leeway, so that one claim is not always the first to fail. */
const times = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<unknown>(seconds - 59, seconds, seconds + 59) },
  fc.constantFrom<unknown>(
    ...[0, seconds - 60, seconds - 61, seconds + 60, seconds + 61, seconds + 60.5, -1],
    ...["1", null, true, [seconds], {}],
  ),
);
const names = fc.constantFrom<unknown>(
  "issuer",
  "other",
  "",
  null,
  0,
  ["issuer"],
  ["other", "issuer"],
  [],
  {},
  [["issuer"]],
  [1, "issuer"],
);

const bodies = fc
  .oneof(
    {
      weight: 4,
      arbitrary: fc.record({ exp: times, nbf: times, iat: times, iss: names, aud: names, sub: fc.string() }, { requiredKeys: [] }),
    },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(null, [], "text", 1, true) },
  )
  .map((claims) => JSON.stringify(claims));

const strangeBodies = fc.constantFrom(
  '{"sub":"1","sub":"2"}',
  `{"exp":${seconds - 100},"exp":${seconds + 100}}`,
  `{"exp":${seconds + 100},"exp":${seconds - 100}}`,
  '{"exp":1e999}',
  '{"nbf":-1e999}',
  '{"x":1e999}',
  '{"__proto__":{"exp":1}}',
  '{"constructor":1,"toString":2}',
  '\ufeff{"sub":"1"}',
  ' {"sub" : "1"}\t',
  '{"sub":"\\ud800"}',
  "{",
  "",
  `${"[".repeat(200)}${"]".repeat(200)}`,
  `{"deep":${"[".repeat(200)}${"]".repeat(200)}}`,
);

/** The changes of a token after it was signed: mostly none. */
const changes = fc.oneof(
  { weight: 18, arbitrary: fc.constant((token: string): string => token) },
  fc.tuple(fc.nat(), fc.constantFrom(".", "A", "-", "_", "+", "/", "=", " ", "\n", "", "\u00e9", "AA")).map(
    ([at, other]) =>
      (token: string): string =>
        `${token.slice(0, at % (token.length + 1))}${other}${token.slice((at % (token.length + 1)) + 1)}`,
  ),
  fc.constantFrom(
    (token: string): string => `${token}=`,
    (token: string): string => `${token}A`,
    (token: string): string => `${token}AAAA`,
    (token: string): string => ` ${token}`,
    (token: string): string => `${token}\n`,
    (token: string): string => `${token}.`,
    (token: string): string => token.slice(0, token.lastIndexOf(".") + 1),
    (token: string): string => token.slice(0, token.lastIndexOf(".")),
    (token: string): string => token.replaceAll("-", "+").replaceAll("_", "/"),
    (token: string): string => token.split(".").reverse().join("."),
  ),
);

const suitable: Readonly<Record<string, readonly string[]>> = {
  secret: ["HS256", "HS384", "HS512"],
  rsa: ["RS256", "RS384", "RS512", "PS256", "PS384"],
  "short rsa": ["RS256"],
  "P-256": ["ES256"],
  "P-384": ["ES384"],
  "P-521": ["ES512"],
  ed25519: ["EdDSA"],
};

/** Mostly what the rest of an attempt suits, else something else. */
const mostly = <T>(usual: T, other: fc.Arbitrary<T>): fc.Arbitrary<T> => fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, other);

/** Rules and a token that suits them, but for one thing or another. */
const attempts = fc
  .constantFrom(...Object.entries(suitable))
  .chain(([kind, algs]) => fc.record({ kind: fc.constant(kind), alg: fc.constantFrom(...algs) }))
  .chain(({ kind, alg }) =>
    fc.record({
      kind: fc.constant(kind),
      header: mostly(
        JSON.stringify({ alg, typ: "JWT" }),
        fc.oneof(
          strangeHeaders(alg),
          fc.constantFrom(...families).map((other) => `{"alg":"${other}"}`),
        ),
      ),
      body: fc.oneof({ weight: 5, arbitrary: bodies }, strangeBodies),
      signer: mostly(kind, fc.constantFrom(...kinds, "secret")),
      sealedAs: mostly(alg, fc.constantFrom<string>(...families)),
      dsaEncoding: mostly<"ieee-p1363" | "der">("ieee-p1363", fc.constant("der")),
      algorithms: mostly<readonly string[]>([...families], fc.subarray([...families])),
      issuer: mostly<string | undefined>(undefined, fc.constantFrom("issuer", "")),
      audience: mostly<string | undefined>(undefined, fc.constantFrom("issuer", "")),
      requireExpiry: fc.boolean(),
      change: changes,
    }),
  );

test("whatever a token holds, the verdict and its words are those of the library", async () => {
  const words = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(
      attempts,
      async ({ kind, header, body, signer, sealedAs, dsaEncoding, algorithms, issuer, audience, requireExpiry, change }) => {
        const message = `${coded(header)}.${coded(body)}`;
        const token = change(`${message}.${coded(sealOf(message, sealedAs, signer, dsaEncoding))}`);
        const claims = { requireExpiry, ...(issuer === undefined ? {} : { issuer }), ...(audience === undefined ? {} : { audience }) };
        const said = await agrees(token, keyOf(kind), { algorithms, ...claims });
        for (const name of [kind, "all"]) {
          const set = sets[name];
          if (set !== undefined) await agrees(token, set, { algorithms, ...claims });
        }
        const word = typeof said === "string" ? said : "accepted";
        words.set(word, (words.get(word) ?? 0) + 1);
      },
    ),
    { numRuns: 2000 },
  );
  // The tokens above are of all kinds, so that the law cannot hold for want of cases.
  expect([...words.keys()].sort()).toEqual([
    "accepted",
    "algorithm not allowed",
    "cannot be verified",
    "expired",
    "malformed",
    "malformed claims",
    "no exp claim",
    "not valid yet",
    "wrong audience",
    "wrong issuer",
    "wrong signature",
  ]);
});

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
