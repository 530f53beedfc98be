import { isUtf8 } from "node:buffer";
import { TextDecoder } from "node:util";
import type { Json } from "../../../value/json.ts";

/**
 * The text of a body that is read as text, CSV or XML. Bytes that are valid UTF-8 are read as UTF-8, whatever the answer says. The
 * exception is a `charset` in the content type whose encoding writes other text with the bytes of ASCII. Otherwise the encoding is that of
 * the byte order mark, of the `charset`, or of the declaration of an XML document: the first of them that is there counts. choice: without
 * any of them, bytes that are no UTF-8 become U+FFFD.
 */
export function readText(bytes: Buffer, contentType: Json | undefined): string {
  const charset = parameter(contentType);
  if (isUtf8(bytes) && !(charset !== undefined && isWritten(bytes, charset))) return bytes.toString();
  const name = marked(bytes) ?? charset ?? declared(bytes);
  return (name === undefined ? undefined : decoderOf(name))?.decode(bytes) ?? bytes.toString();
}

function marked(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  return bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : undefined;
}

/** True for bytes of an encoding that is no superset of ASCII, so that they may be valid UTF-8 as well: UTF-16, and ISO-2022-JP. */
function isWritten(bytes: Buffer, name: string): boolean {
  switch (decoderOf(name)?.encoding) {
    case "utf-16le":
    case "utf-16be":
      return bytes.length % 2 === 0 && !hasUtf8Mark(bytes);
    case "iso-2022-jp":
      return bytes.includes(0x1b);
    default:
      return false;
  }
}

const hasUtf8Mark = (bytes: Buffer): boolean => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;

const parameter = (contentType: Json | undefined): string | undefined =>
  typeof contentType === "string" ? /;\s*charset\s*=\s*"?([^\s";]{1,40})/i.exec(contentType)?.[1] : undefined;

/** A declaration is ASCII in every encoding that has no byte order mark, and short. */
const declared = (bytes: Buffer): string | undefined =>
  /^<\?xml\s[^>]*?\bencoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(bytes.toString("latin1", 0, 200))?.[1];

/** Undefined for a name that no standard has. */
function decoderOf(name: string): TextDecoder | undefined {
  try {
    return new TextDecoder(name);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
