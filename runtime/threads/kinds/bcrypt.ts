import { compareSync, encodeBase64, hashSync } from "bcryptjs";
import { answer } from "../worker-port.ts";

/** A text to hash, with a salt of 16 bytes; or to compare with a hash. */
export type BcryptRequest =
  | { readonly text: string; readonly cost: number; readonly salt: Uint8Array }
  | { readonly text: string; readonly hash: string };

/** The hash, version 2b, or whether the hash is that of the text, compared in constant time. */
function bcryptWork(request: BcryptRequest): string | boolean {
  if ("hash" in request) return compareSync(request.text, request.hash);
  const { text, cost, salt } = request;
  return hashSync(text, `$2b$${String(cost).padStart(2, "0")}$${encodeBase64(salt, salt.length)}`);
}

answer(bcryptWork);
