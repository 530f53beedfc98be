import { generateKeyPairSync, sign } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSigned, type SignatureAlgorithm, verifyingKey } from "../../../runtime/keys/signature.ts";

const hex = (text: string): Buffer => Buffer.from(text, "hex");

/** RFC 8032, section 7.1, tests 1 and 2: public key, message, signature. */
const ed25519: readonly (readonly [string, string, string])[] = [
  [
    "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
    "",
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
  ],
  [
    "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
    "r",
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
  ],
];

it.each(ed25519)("RFC 8032: %s", (key, message, signature) => {
  const read = verifyingKey(key, "hex", "ed25519");
  expect(read && isSigned(message, hex(signature), read, "ed25519")).toBe(true);
  expect(read && isSigned(`${message}.`, hex(signature), read, "ed25519")).toBe(false);
});

const pairs = {
  ed25519: generateKeyPairSync("ed25519"),
  es256: generateKeyPairSync("ec", { namedCurve: "P-256" }),
  rs256: generateKeyPairSync("rsa", { modulusLength: 2048 }),
} as const;
const algorithms = ["ed25519", "es256", "rs256"] as const;
const pem = (algorithm: SignatureAlgorithm): string => pairs[algorithm].publicKey.export({ type: "spki", format: "pem" }).toString();

describe.each(algorithms)("%s", (algorithm) => {
  const key = verifyingKey(pem(algorithm), "hex", algorithm);
  const signed = (message: string): Buffer =>
    sign(algorithm === "ed25519" ? null : "sha256", Buffer.from(message), pairs[algorithm].privateKey);

  it("verifies what was signed, and nothing else", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ minLength: 1 }), (message, more) => {
        if (key === undefined) throw new Error("the key cannot be read");
        expect(isSigned(message, signed(message), key, algorithm)).toBe(true);
        expect(isSigned(`${message}${more}`, signed(message), key, algorithm)).toBe(false);
      }),
      { numRuns: 20 },
    );
  });

  it("says no to any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(key && isSigned("r", bytes, key, algorithm)).toBe(false);
      }),
    );
  });

  it("takes only keys of its own", () => {
    for (const other of algorithms) expect(verifyingKey(pem(other), "hex", algorithm) === undefined).toBe(other !== algorithm);
  });
});

it.each([
  ["", "ed25519"],
  ["00", "ed25519"],
  ["00".repeat(33), "ed25519"],
  ["00".repeat(32), "es256"],
  ["-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----", "rs256"],
  [generateKeyPairSync("ec", { namedCurve: "P-384" }).publicKey.export({ type: "spki", format: "pem" }).toString(), "es256"],
  [generateKeyPairSync("rsa-pss", { modulusLength: 2048 }).publicKey.export({ type: "spki", format: "pem" }).toString(), "rs256"],
] as const)("no key: %s for %s", (written, algorithm) => {
  expect(verifyingKey(written, "hex", algorithm)).toBeUndefined();
});
