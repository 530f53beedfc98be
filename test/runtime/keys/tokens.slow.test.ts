import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { agrees, coded, families, keyOf, kinds, makeKeys, sealOf, seconds, sets } from "./tokens-library.ts";

// Our verifier of tokens against jose: what is accepted, and the words about what is not, are those of jose. Two things are stricter, as
// `expected` says: a token has one text, and its parts are bounded as JSON from outside is.

beforeAll(makeKeys);

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
