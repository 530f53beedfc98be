import { bcryptVerify } from "../../keys/bcrypt.ts";
import type { Run } from "../../run/run.ts";
import type { Verdict } from "../../run/verdict.ts";
import type { Json } from "../../value/json.ts";
import type { Matcher } from "../feature.ts";

/** The target is a text of at most 72 bytes, and the operand is its bcrypt hash. All other cases fail with the same error. */
export async function verify_bcrypt(target: Json, hash: string, cx: Run): Promise<Verdict> {
  return (typeof target === "string" && (await bcryptVerify(cx.host, target, hash, cx.signal))) || "bcrypt verification failed";
}

export const spec: Matcher<string> = {
  summary: "The text is the one that a bcrypt hash was made of.",
  typed: true,
  schema: { type: "string", description: "The bcrypt hash (versions 2a, 2b and 2y)." },
  async: true,
  proves: true,
  run: verify_bcrypt,
  target: { type: "string", description: "The text behind a bcrypt hash." },
};
