import { createPrivateKey, type KeyObject } from "node:crypto";
import type { ParsedKey, utils } from "ssh2";
import { Failure } from "../../../value/failure.ts";

export interface PrivateKey {
  readonly text: string;
  readonly passphrase: string | undefined;
}

/** The functions of ssh2 that read keys. */
export type Utils = typeof utils;

/** Characters of the longest private key. One of RSA with 16,384 bits has about 12,500. */
const longestKey = 65_536;

/** The passphrase of a key is stretched in rounds of about 12 ms each, in which nothing else runs. `ssh-keygen` writes 16 or 24. */
const mostRounds = 256;

/** Parses the private key of a login. The failure shows nothing of the key. */
export function parsedKey({ text, passphrase }: PrivateKey, { parseKey }: Utils): ParsedKey {
  if (text.length > longestKey) throw new Failure("evaluation", `sftp: private_key is longer than ${longestKey} characters`);
  if (text.includes("-----BEGIN ENCRYPTED PRIVATE KEY-----"))
    throw new Failure(
      "evaluation",
      "sftp: private_key is an encrypted key of PKCS #8; openssl pkey -in FILE writes it without its passphrase",
    );
  if (roundsOf(text) > mostRounds)
    throw new Failure("evaluation", `sftp: private_key has more than ${mostRounds} rounds; ssh-keygen -p -a 100 writes it with fewer`);
  const parsed = parseKey(isPkcs8(text) ? fromPkcs8(text) : text, passphrase);
  const key = Array.isArray(parsed) ? parsed[0] : parsed;
  if (key === undefined || key instanceof Error || !key.isPrivateKey())
    throw new Failure(
      "evaluation",
      "sftp: private_key cannot be read: it is no private key of OpenSSH or PEM, or its passphrase is another one",
    );
  return key;
}

/** The rounds of bcrypt that stretch the passphrase of a key of OpenSSH (its PROTOCOL.key says where they are); 0 for any other key. */
function roundsOf(text: string): number {
  const base64 = /^-----BEGIN OPENSSH PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END/.exec(text.trim())?.[1];
  if (base64 === undefined) return 0;
  const bytes = Buffer.from(base64, "base64");
  const lengthAt = (at: number): number => (at + 4 <= bytes.length ? bytes.readUInt32BE(at) : bytes.length);
  const cipher = "openssh-key-v1\0".length;
  const kdf = cipher + 4 + lengthAt(cipher);
  const salt = kdf + 4 + lengthAt(kdf) + 4;
  const rounds = salt + 4 + lengthAt(salt);
  return rounds + 4 <= bytes.length && lengthAt(kdf) === "bcrypt".length ? lengthAt(rounds) : 0;
}

const isPkcs8 = (text: string): boolean => text.includes("-----BEGIN PRIVATE KEY-----");

/**
 * Converts a key as `openssl genpkey` and vaults write it, which ssh2 does not read, into a form that it reads. A text that holds no key
 * stays.
 */
function fromPkcs8(text: string): string {
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === "rsa") return key.export({ type: "pkcs1", format: "pem" }).toString();
    if (key.asymmetricKeyType === "ec") return key.export({ type: "sec1", format: "pem" }).toString();
    return key.asymmetricKeyType === "ed25519" ? asOpenSsh(key) : text;
  } catch {
    return text;
  }
}

/** An Ed25519 key in OpenSSH's own form without a passphrase (its PROTOCOL.key): the only form with such keys that ssh2 reads. */
function asOpenSsh(key: KeyObject): string {
  const { x = "", d = "" } = key.export({ format: "jwk" });
  const [open, seed] = [Buffer.from(x, "base64url"), Buffer.from(d, "base64url")];
  const type = field("ssh-ed25519");
  // Two equal numbers that show that the key was opened with the right passphrase, then both halves, a comment, and 1, 2, 3… up to 8 bytes.
  const secret = Buffer.concat([Buffer.alloc(8), type, field(open), field(Buffer.concat([seed, open])), field("")]);
  const padding = Buffer.from(Array.from({ length: (8 - (secret.length % 8)) % 8 }, (_, i) => i + 1));
  const unlocked = [field("none"), field("none"), field(""), number(1)];
  const whole = [
    Buffer.from("openssh-key-v1\0"),
    ...unlocked,
    field(Buffer.concat([type, field(open)])),
    field(Buffer.concat([secret, padding])),
  ];
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${Buffer.concat(whole).toString("base64")}\n-----END OPENSSH PRIVATE KEY-----\n`;
}

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

const field = (content: string | Buffer): Buffer => {
  const bytes = Buffer.from(content);
  return Buffer.concat([number(bytes.length), bytes]);
};
