import { bytesOf } from "./bytes.ts";
import { Failure } from "./failure.ts";
import { decodeUtf8 } from "./utf8.ts";

/** The text whose UTF-8 bytes a Base64 text holds, in either alphabet of RFC 4648; padding and white space are optional. */
export function decodeBase64(encoded: string): string {
  const bytes = bytesOf(encoded, "base64");
  if (bytes === undefined) throw new Failure("transform", "invalid base64");
  return decodeUtf8(bytes);
}
