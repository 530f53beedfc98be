import { isUtf8 } from "node:buffer";
import type { Json } from "../../../value/json.ts";

/**
 * The text of a body that is read as text, CSV or XML. Valid UTF-8 is read as UTF-8, whatever the answer calls it; else a byte order mark,
 * the `charset` of the content type and the declaration of an XML document name the encoding, in this order. choice: without any of them,
 * bytes that are no UTF-8 become U+FFFD.
 */
export function readText(bytes: Buffer, contentType: Json | undefined): string {
  if (isUtf8(bytes)) return bytes.toString();
  const name = marked(bytes) ?? parameter(contentType) ?? declared(bytes);
  return (name === undefined ? undefined : decoded(bytes, name)) ?? bytes.toString();
}

function marked(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  return bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : undefined;
}

const parameter = (contentType: Json | undefined): string | undefined =>
  typeof contentType === "string" ? /;\s*charset\s*=\s*"?([^\s";]{1,40})/i.exec(contentType)?.[1] : undefined;

/** A declaration is ASCII in every encoding that has no byte order mark, and short. */
const declared = (bytes: Buffer): string | undefined =>
  /^<\?xml\s[^>]*?\bencoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(bytes.toString("latin1", 0, 200))?.[1];

/** Undefined for a name that no standard has. */
function decoded(bytes: Buffer, name: string): string | undefined {
  try {
    return new TextDecoder(name).decode(bytes);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
