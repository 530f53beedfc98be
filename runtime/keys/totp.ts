import type { Encoding } from "../value/bytes.ts";
import { type Hash, hmacOf } from "./hmac.ts";

/** How a secret of one-time codes is written. */
export const secretEncodings = ["base32", "hex", "ascii"] as const satisfies readonly Encoding[];
export type SecretEncoding = (typeof secretEncodings)[number];

/** The settings on which the two sides of a one-time code agree (RFC 6238). */
export interface TotpRules {
  readonly key: Uint8Array;
  readonly digits: number;
  /** Seconds for which one code is valid. */
  readonly period: number;
  readonly hash: Hash;
}

/** The number of the period in which an instant (Unix milliseconds) lies. */
export const totpCounter = (now: number, period: number): number => Math.floor(Math.floor(now / 1000) / period);

/** The code of a period, with leading zeros (RFC 6238 on RFC 4226 5.3). */
export function totpCode({ key, digits, hash }: TotpRules, counter: number): string {
  const message = Buffer.alloc(8);
  message.writeBigInt64BE(BigInt(counter));
  const digest = hmacOf(hash, key, message);
  const offset = digest.readUInt8(digest.length - 1) & 0x0f;
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, "0");
}
