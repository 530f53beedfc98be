import { badSecret, type DigestEncoding, digestEncodings, type Hash, hashes, hmacOf, sameBytes } from "../../keys/hmac.ts";
import type { Run } from "../../run/run.ts";
import type { Verdict } from "../../run/verdict.ts";
import { bytesOf } from "../../value/bytes.ts";
import type { Json } from "../../value/json.ts";
import { unset } from "../../value/operand.ts";
import { text } from "../../value/values.ts";
import type { Matcher } from "../feature.ts";

/** Null is a marker that is unset. */
type Operand = {
  readonly secret: string | null;
  readonly body?: string | null;
  readonly algorithm?: string | null;
  readonly encoding?: string | null;
  readonly prefix?: string | null;
};

interface Ready {
  readonly unset: string | undefined;
  /** Undefined when no digest can be made with the secret. */
  readonly secret: string | undefined;
  readonly hash: Hash | undefined;
  readonly encoding: DigestEncoding | undefined;
  readonly body: string | undefined;
  readonly prefix: string;
}

/** Stage 1 looks up the algorithm and the encoding. Parts that are missing or unknown become undefined. */
export function prepare(operand: Operand): Ready {
  const { secret, body, algorithm = "sha256", encoding = "hex", prefix } = operand;
  return {
    unset: unset(operand),
    secret: secret === null || badSecret(secret) !== undefined ? undefined : secret,
    hash: hashes.find((name) => name === algorithm),
    encoding: digestEncodings.find((name) => name === encoding),
    body: body ?? undefined,
    prefix: prefix ?? "",
  };
}

/**
 * The target is the prefix and the digest of the message, which is the body as it arrived unless another is given. A hexadecimal digest may
 * be in capitals. Compared in constant time; any doubt fails the test (spec/language 6.7).
 */
export function is_valid_hmac(target: Json, ready: Ready, cx: Run): Verdict {
  if (ready.unset !== undefined) return ready.unset;
  const { secret, hash, encoding, body, prefix } = ready;
  if (typeof target !== "string" || !target.startsWith(prefix)) return "invalid hmac";
  const digest = encoding && bytesOf(target.slice(prefix.length), encoding);
  if (digest === undefined || hash === undefined || secret === undefined) return "invalid hmac";
  const message = body ?? text(cx.raw_body);
  return (message.isWellFormed() && sameBytes(digest, hmacOf(hash, secret, message))) || "invalid hmac";
}

export const spec: Matcher<Operand, Ready> = {
  summary: "The digest is that of a message, made with a shared secret (HMAC).",
  typed: true,
  schema: {
    type: "object",
    required: ["secret"],
    additionalProperties: false,
    properties: {
      secret: { type: "string", description: "The shared secret: its UTF-8 bytes are the key." },
      body: { type: "string", description: "The message that was signed. Default: the body of the request as it arrived." },
      algorithm: { type: "string", enum: hashes, default: "sha256", description: "Hash function." },
      encoding: { type: "string", enum: digestEncodings, default: "hex", description: "How the digest is written." },
      prefix: { type: "string", description: "Text that must stand before the digest, such as `sha256=`." },
    },
  },
  inRun: true,
  prepare,
  proves: true,
  run: is_valid_hmac,
  target: { type: "string", description: "The digest (HMAC) of a message." },
};
