/** Ways in which bytes are written as text. */
export type Encoding = "hex" | "base64" | "base32" | "ascii";

/** The bytes that a text stands for; undefined when it is not in that encoding. */
export function bytesOf(text: string, encoding: Encoding): Buffer | undefined {
  switch (encoding) {
    case "hex":
      return /^(?:[0-9a-f]{2})*$/i.test(text) ? Buffer.from(text, "hex") : undefined;
    case "base64":
      return fromBase64(text);
    case "base32":
      return fromBase32(text);
    case "ascii":
      return /^[\0-\x7f]*$/.test(text) ? Buffer.from(text, "latin1") : undefined;
  }
}

const base64 = /^[A-Za-z0-9+/_-]*$/;

/** Either alphabet of RFC 4648; padding and white space are optional (spec/transforms 5). */
function fromBase64(text: string): Buffer | undefined {
  // Most texts have neither padding nor white space.
  if (base64.test(text)) return text.length % 4 === 1 ? undefined : Buffer.from(text, "base64");
  const bare = text.replace(/\s+/g, "");
  const digits = bare.replace(/={1,2}$/, "");
  const padded = digits.length < bare.length;
  const isWhole = padded ? bare.length % 4 === 0 : digits.length % 4 !== 1;
  return isWhole && base64.test(digits) ? Buffer.from(digits, "base64") : undefined;
}

const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** RFC 4648, also as users copy it: case, blanks, hyphens and padding do not count, and bits beyond the last whole byte are dropped. */
function fromBase32(text: string): Buffer | undefined {
  const [, digits] = /^([^=]*)=*$/.exec(text.replace(/[\s-]+/g, "")) ?? [];
  if (digits === undefined) return undefined;
  const bytes: number[] = [];
  let bits = 0;
  let buffer = 0;
  for (const digit of digits.toUpperCase()) {
    const value = base32.indexOf(digit);
    if (value < 0) return undefined;
    buffer = ((buffer << 5) | value) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((buffer >> bits) & 0xff);
  }
  return Buffer.from(bytes);
}
