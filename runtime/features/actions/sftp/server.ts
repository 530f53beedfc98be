import { createHash, timingSafeEqual } from "node:crypto";
import { longestWait } from "../../../value/duration.ts";
import { Failure } from "../../../value/failure.ts";
import { fingerprintIn } from "./fields.ts";
import type { PrivateKey } from "./private-key.ts";

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

/**
 * The pinned fingerprint. The host is verified unless `accept_any_host_key` is explicitly true: an unset marker does not accept any host.
 */
function fingerprintOf({ host_key, accept_any_host_key }: ServerArgs): Buffer | undefined {
  if (host_key === undefined || host_key === null) {
    if (accept_any_host_key === true) return undefined;
    throw new Failure("evaluation", "sftp needs host_key or accept_any_host_key");
  }
  return Buffer.from(fingerprintIn(host_key), "base64");
}

/** True when the host shows the pinned key. Compared in constant time. */
export const isPinned = ({ fingerprint }: Server, key: Buffer): boolean =>
  fingerprint === undefined || timingSafeEqual(digestOf(key), fingerprint);

const digestOf = (key: Buffer): Buffer => createHash("sha256").update(key).digest();

/** The fingerprint of a key as `ssh-keygen -lf` shows it. */
export const shownKey = (key: Buffer): string => `SHA256:${digestOf(key).toString("base64").replace(/=+$/, "")}`;
