import { isUtf8 } from "node:buffer";
import { Failure } from "./failure.ts";

/** The text of decoded bytes. */
export function decodeUtf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new Failure("transform", "decoded bytes are not valid UTF-8");
  return bytes.toString();
}
