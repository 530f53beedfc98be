import { createPublicKey, type KeyObject, type PublicKeyInput } from "node:crypto";
import type { Host, Resource } from "../process/host.ts";
import { Recent } from "../value/recent.ts";

/** A public key in PEM, or in the form that is given; undefined when it cannot be read. */
export function publicKey(key: string | PublicKeyInput): KeyObject | undefined {
  try {
    return createPublicKey(key);
  } catch {
    return undefined;
  }
}

/** The algorithms with which keys of a provider may sign: never one of a shared secret. */
export const asymmetric: readonly string[] = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];

/** The algorithms of a public key, by its type and curve; none for keys that sign no tokens. */
export function algorithmsOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): readonly string[] {
  switch (asymmetricKeyType) {
    case "rsa":
      return ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"];
    case "ec":
      return curves[asymmetricKeyDetails?.namedCurve ?? ""] ?? [];
    case "ed25519":
      return ["EdDSA", "Ed25519"];
    default:
      return [];
  }
}

/** By the names of OpenSSL. */
const curves: Readonly<Record<string, readonly string[]>> = { prime256v1: ["ES256"], secp384r1: ["ES384"], secp521r1: ["ES512"] };

/** Most characters of a key that is kept: a key of RSA with 16,384 bits has 3,000. */
const longest = 16_384;

type Read = (text: string) => KeyObject | undefined;

/** Public keys that were read for earlier runs. */
class KnownKeys implements Resource {
  readonly #keys = new Recent<KeyObject>(200);

  of(kind: string, text: string, read: Read): KeyObject | undefined {
    const name = `${kind} ${text}`;
    const cached = this.#keys.get(name);
    if (cached !== undefined) return cached;
    const key = read(text);
    if (key !== undefined && text.length <= longest) this.#keys.set(name, key);
    return key;
  }

  close(): void {}
}

/**
 * Reads a public key once and keeps it: reading takes as long as checking a signature, and libraries prepare each key object anew.
 * Undefined when the text cannot be read. `kind` names the kind of text; each kind has one reader.
 */
export const knownKey = (host: Host, kind: string, text: string, read: Read): KeyObject | undefined =>
  host.resource("public keys", () => new KnownKeys()).of(kind, text, read);
