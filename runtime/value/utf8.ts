import { isUtf8 } from "node:buffer";
import { Failure } from "./failure.ts";

/** The text of decoded bytes. */
export function decodeUtf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new Failure("transform", "decoded bytes are not valid UTF-8");
  return bytes.toString();
}

export const loneSurrogate = "a lone surrogate cannot be written in UTF-8";

/**
 * The bytes of a text. Half a surrogate pair has none: Node would write U+FFFD in its place, so that different texts had the same bytes.
 */
export function encodeUtf8(text: string): Buffer {
  if (!text.isWellFormed()) throw new Failure("transform", loneSurrogate);
  return Buffer.from(text);
}
