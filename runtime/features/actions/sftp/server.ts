import { createHash, timingSafeEqual } from "node:crypto";
import type { ParsedKey, utils } from "ssh2";
import { longestWait } from "../../../value/duration.ts";
import { Failure } from "../../../value/failure.ts";
import { fingerprintIn } from "./fields.ts";

/** The machine and the login of an `sftp` block. Null means unset. */
export interface ServerArgs {
  readonly host: string | null;
  readonly port?: number | null;
  readonly user: string | null;
  readonly password?: string | null;
  readonly private_key?: string | null;
  readonly private_key_passphrase?: string | null;
  readonly host_key?: string | null;
  readonly accept_any_host_key?: boolean | null;
  /** Milliseconds. */
  readonly timeout?: number | null;
}

export interface PrivateKey {
  readonly text: string;
  readonly passphrase: string | undefined;
}

/** The functions of ssh2 that read keys. */
export type Utils = typeof utils;

/** A server whose settings were checked. */
export interface Server {
  readonly host: string;
  /** Its name, where `host` is an address that was found for it. */
  readonly name?: string;
  readonly port: number;
  readonly user: string;
  readonly password?: string;
  readonly privateKey?: PrivateKey;
  /** SHA-256 of the key that the host must have; undefined accepts any. */
  readonly fingerprint: Buffer | undefined;
  /** Milliseconds to connect, and of silence. */
  readonly timeout: number;
}

export const defaultPort = 22;
const defaultTimeout = 30_000;

/** Characters of the longest private key. One of RSA with 16,384 bits has about 12,500. */
const longestKey = 65_536;

/** The passphrase of a key is stretched in rounds of about 12 ms each, in which nothing else runs. `ssh-keygen` writes 16 or 24. */
const mostRounds = 256;

/** Throws `Failure` for settings that no connection can be made with. */
export function serverOf(args: ServerArgs): Server {
  const { port, password, private_key, private_key_passphrase } = args;
  const host = required(args.host, "host").trim();
  if (host === "" || /[\s/@\p{Cc}]/u.test(host)) throw new Failure("evaluation", "field host: not a host");
  const checked = port ?? defaultPort;
  if (checked < 1 || checked > 65_535) throw new Failure("evaluation", `field port: expected 1 to 65535, got ${checked}`);
  if ((password ?? "") === "" && (private_key ?? "") === "") throw new Failure("evaluation", "sftp needs password or private_key");
  return {
    host,
    port: checked,
    user: required(args.user, "user"),
    ...(password ? { password } : {}),
    ...(private_key ? { privateKey: { text: private_key, passphrase: private_key_passphrase ?? undefined } } : {}),
    fingerprint: fingerprintOf(args),
    timeout: timeoutOf(args.timeout ?? defaultTimeout),
  };
}

function timeoutOf(timeout: number): number {
  if (!(timeout > 0)) throw new Failure("evaluation", `field timeout: expected more than 0, got ${timeout}`);
  return Math.min(timeout, longestWait);
}

function required(value: string | null, field: string): string {
  if (value === null || value === "")
    throw new Failure("evaluation", `field ${field}: expected text, got ${value === null ? "null" : "none"}`);
  return value;
}

/** A host is verified unless the configuration says in so many words that any will do: a marker that gives nothing is no such word. */
function fingerprintOf({ host_key, accept_any_host_key }: ServerArgs): Buffer | undefined {
  if (host_key === undefined || host_key === null) {
    if (accept_any_host_key === true) return undefined;
    throw new Failure("evaluation", "sftp needs host_key or accept_any_host_key");
  }
  return Buffer.from(fingerprintIn(host_key), "base64");
}

/** The key that a host shows is the one that is pinned. Compared in constant time. */
export const isPinned = ({ fingerprint }: Server, key: Buffer): boolean =>
  fingerprint === undefined || timingSafeEqual(digestOf(key), fingerprint);

const digestOf = (key: Buffer): Buffer => createHash("sha256").update(key).digest();

/** The fingerprint of a key as `ssh-keygen -lf` shows it. */
export const shownKey = (key: Buffer): string => `SHA256:${digestOf(key).toString("base64").replace(/=+$/, "")}`;

/** Parses the private key of a login. Nothing of it gets into the failure. */
export function parsedKey({ text, passphrase }: PrivateKey, { parseKey }: Utils): ParsedKey {
  if (text.length > longestKey) throw new Failure("evaluation", `sftp: private_key is longer than ${longestKey} characters`);
  if (roundsOf(text) > mostRounds)
    throw new Failure("evaluation", `sftp: private_key has more than ${mostRounds} rounds; ssh-keygen -p -a 100 writes it with fewer`);
  const parsed = parseKey(text, passphrase);
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
