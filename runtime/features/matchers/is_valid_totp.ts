import { hashes, sameBytes } from "../../keys/hmac.ts";
import { secretEncodings, type TotpRules, totpCode, totpCounter } from "../../keys/totp.ts";
import type { Run } from "../../run/run.ts";
import type { Verdict } from "../../run/verdict.ts";
import { bytesOf } from "../../value/bytes.ts";
import type { Json } from "../../value/json.ts";
import { unset } from "../../value/operand.ts";
import { plainText } from "../../value/target.ts";
import type { Matcher } from "../feature.ts";

/** Null is a marker that is unset. */
type Operand = {
  readonly secret: string | null;
  readonly encoding?: string | null;
  readonly digits?: number | null;
  readonly period?: number | null;
  readonly algorithm?: string | null;
  readonly window?: number | null;
};

interface Ready {
  readonly unset: string | undefined;
  /** Undefined when no code can be made with the operand. */
  readonly rules: TotpRules | undefined;
  readonly window: number;
}

/** choice: periods before and after the present one. Each of them makes it easier to guess a code. */
const widest = 10;

/** Stage 1 makes the rules of the codes from the settings. */
export function prepare(operand: Operand): Ready {
  return { unset: unset(operand), rules: rulesOf(operand), window: operand.window ?? 1 };
}

function rulesOf({ secret, encoding = "base32", digits = 6, period = 30, algorithm = "sha1", window = 1 }: Operand): TotpRules | undefined {
  const format = secretEncodings.find((name) => name === encoding);
  const key = secret === null || format === undefined ? undefined : bytesOf(secret, format);
  const hash = hashes.find((name) => name === algorithm);
  if (key === undefined || key.length === 0 || hash === undefined) return undefined;
  const isWithin = (value: number | null, low: number, high: number): value is number => value !== null && value >= low && value <= high;
  if (!isWithin(digits, 6, 10) || !isWithin(period, 1, Number.MAX_SAFE_INTEGER) || !isWithin(window, 0, widest)) return undefined;
  return { key, digits, period, hash };
}

/**
 * The target is the one-time code of this moment, or of a period just before or after it: clocks differ, and people take time to type. A
 * number counts as its digits. Compared in constant time. Used codes are not remembered: a code passes again as long as its periods count,
 * which is 90 seconds with the defaults. Where a code must be good for one use, store the last accepted code with the user and refuse it
 * the second time. Any doubt fails the test (spec/language 6.7).
 */
export function is_valid_totp(target: Json, { unset, rules, window }: Ready, cx: Run): Verdict {
  if (unset !== undefined) return unset;
  const code = Buffer.from(plainText(target) ?? "");
  if (rules === undefined) return "invalid totp";
  const now = totpCounter(cx.host.now(), rules.period);
  let isValid = false;
  // Every code is compared, so that the time does not show which code it was.
  for (let counter = now - window; counter <= now + window; counter++) {
    if (sameBytes(code, Buffer.from(totpCode(rules, counter)))) isValid = true;
  }
  return isValid || "invalid totp";
}

export const spec: Matcher<Operand, Ready> = {
  summary: "The one-time code is valid now (TOTP).",
  typed: true,
  schema: {
    type: "object",
    required: ["secret"],
    additionalProperties: false,
    properties: {
      secret: { type: "string", description: "The shared secret. In base32, case, blanks, hyphens and padding do not count." },
      encoding: { type: "string", enum: secretEncodings, default: "base32", description: "How the secret is written." },
      digits: { type: "integer", minimum: 6, maximum: 10, default: 6, description: "Length of the code." },
      period: { type: "integer", minimum: 1, default: 30, description: "Seconds for which one code stands." },
      algorithm: { type: "string", enum: hashes, default: "sha1", description: "Hash function; most apps know sha1 only." },
      window: {
        type: "integer",
        minimum: 0,
        maximum: widest,
        default: 1,
        description: "Periods before and after this one that also count.",
      },
    },
  },
  inRun: true,
  prepare,
  proves: true,
  run: is_valid_totp,
  target: { type: "string", description: "A one-time code (TOTP)." },
};
