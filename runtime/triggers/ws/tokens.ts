import { keyFinder } from "../../keys/jwks.ts";
import { verifyToken } from "../../keys/jwt.ts";
import { asymmetric } from "../../keys/public-keys.ts";
import type { Host } from "../../process/host.ts";

/**
 * True when a token has the signature that the operator demands (`PIPEWRIGHT_WS_REQUIRE_JWT`), and has not expired. `by` is a shared secret
 * or the address of a key set.
 */
export async function isVerified(host: Host, token: string, by: string): Promise<boolean> {
  const isAddress = /^https?:\/\//.test(by);
  const key = isAddress ? keyFinder(host, by) : by;
  if (key === undefined) return false;
  const rules = { key, algorithms: isAddress ? asymmetric : ["HS256", "HS384", "HS512"] };
  return typeof (await verifyToken(token, rules, host.now())) !== "string";
}
