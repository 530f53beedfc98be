import { hashes } from "../../keys/hmac.ts";
import { secretEncodings, type TotpRules, totpCode, totpCounter } from "../../keys/totp.ts";
import { type KeyPath, keyPath, write } from "../../paths/path.ts";
import type { Act } from "../../run/run.ts";
import { argument, keyed } from "../../shapes/arguments.ts";
import { string } from "../../shapes/shape.ts";
import { bytesOf } from "../../value/bytes.ts";
import { Reject } from "../../value/failure.ts";
import type { Json } from "../../value/json.ts";
import { oneOf } from "../../value/one-of.ts";
import type { Transform } from "../feature.ts";

interface Args {
  readonly key: string | null;
  readonly secret: string;
  readonly encoding?: string | null;
  readonly digits?: number | null;
  readonly period?: number | null;
  readonly algorithm?: string | null;
}

interface Ready {
  readonly key: KeyPath;
  readonly rules: TotpRules;
}

/** Stage 1: an option outside its range, or a secret that is not in its encoding, is PW512. */
export function prepare({ key, secret, encoding, digits, period, algorithm }: Args): Ready {
  const format = oneOf("encoding", encoding, secretEncodings, "base32");
  const bytes = bytesOf(secret, format);
  if (bytes === undefined || bytes.length === 0) throw new Reject("PW512", `secret is not ${format}`);
  const rules = { key: bytes, digits: digits ?? 6, period: period ?? 30, hash: oneOf("algorithm", algorithm, hashes, "sha1") };
  if (rules.digits < 6 || rules.digits > 10) throw new Reject("PW512", `digits ${rules.digits} is outside 6..10`);
  if (rules.period < 1) throw new Reject("PW512", `period ${rules.period} is below 1`);
  return { key: keyPath(key), rules };
}

/** Writes the one-time code of this moment under the key, as text: it may begin with zeros. The rest of the data stays. */
export function totp(data: Json, { key, rules }: Ready, act: Act): Json {
  return write(data, key, totpCode(rules, totpCounter(act.now, rules.period)));
}

export const spec: Transform<Args, Ready> = {
  summary: "Make a one-time code that depends on the time (TOTP).",
  schema: {
    type: "object",
    required: ["key", "secret"],
    additionalProperties: false,
    properties: {
      key: { type: "string", context: "path", description: "Where the code is written." },
      secret: { type: "string", description: "The shared secret. In base32, case, blanks, hyphens and padding do not count." },
      encoding: { type: "string", enum: secretEncodings, default: "base32", description: "How the secret is written." },
      digits: { type: "integer", default: 6, description: "Length of the code, 6 to 10." },
      period: { type: "integer", default: 30, description: "Seconds for which one code stands." },
      algorithm: { type: "string", enum: hashes, default: "sha1", description: "Hash function; most apps know sha1 only." },
    },
  },
  effect: "clock",
  hides: true,
  prepare,
  run: totp,
  shape: (data, { shape: args }) => keyed(data, argument(args, "key"), string),
};
