import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

// The part of `node:crypto` that the phases use, synchronous and without real keys: the compiler needs only the kind of a key.

/** SHA-256 of a text as hexadecimal digits: synchronous, unlike the function of browsers. */
export const createHash = (_algorithm: "sha256"): { update(text: string): { digest(encoding: "hex"): string } } => ({
  update: (text) => ({ digest: () => bytesToHex(sha256(utf8ToBytes(text))) }),
});

/** The facts about a public key that the compiler uses. */
interface KeyKind {
  readonly asymmetricKeyType: "rsa" | "ec" | "ed25519";
  readonly asymmetricKeyDetails?: { readonly namedCurve?: string; readonly modulusLength?: number };
}

/** The kind of a key or certificate in PEM, or of a key that is named by its curve. Throws for any other text, as Node does. */
export function createPublicKey(key: string | { readonly format: "jwk" }): KeyKind {
  if (typeof key !== "string") return { asymmetricKeyType: "ed25519" };
  const [, label, text = ""] = /-----BEGIN ([A-Z ]{1,40})-----([\s\S]{1,20000}?)-----END \1-----/.exec(key) ?? [];
  const bytes = Uint8Array.from(atob(text.replace(/\s/g, "")), (sign) => sign.charCodeAt(0));
  const hex = bytesToHex(bytes);
  const [, kind] = kinds.find(([digits]) => hex.includes(digits) || (digits === rsa && label === "RSA PUBLIC KEY")) ?? [];
  if (kind === undefined) throw new Error("no public key");
  if (kind.asymmetricKeyType !== "rsa") return kind;
  // Nearly all bytes of the key are its modulus, and moduli come in multiples of 256 bits. This number of bytes is less than the rest of
  // the key.
  const around = label === "RSA PUBLIC KEY" ? 8 : 30;
  return { ...kind, asymmetricKeyDetails: { modulusLength: Math.floor((bytes.length - around) / 32) * 256 } };
}

/** Object identifiers of the kinds of keys, in DER. */
const rsa = "06092a864886f70d010101";
const kinds: readonly (readonly [digits: string, kind: KeyKind])[] = [
  [rsa, { asymmetricKeyType: "rsa" }],
  ["06082a8648ce3d030107", { asymmetricKeyType: "ec", asymmetricKeyDetails: { namedCurve: "prime256v1" } }],
  ["06052b81040022", { asymmetricKeyType: "ec", asymmetricKeyDetails: { namedCurve: "secp384r1" } }],
  ["06052b81040023", { asymmetricKeyType: "ec", asymmetricKeyDetails: { namedCurve: "secp521r1" } }],
  ["06032b6570", { asymmetricKeyType: "ed25519" }],
];
