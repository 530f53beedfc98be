// The part of `node:buffer` that the phases use: bytes are made from texts and joined, never read as numbers.

type Encoding = "utf8" | "latin1" | "hex" | "base64" | "base64url";

export const isUtf8 = (bytes: Uint8Array): boolean => {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
};

/** An array of bytes that knows the encodings of Node. */
export class Bytes extends Uint8Array {
  static readonly byteLength = (text: string): number => new TextEncoder().encode(text).length;
  static readonly alloc = (length: number): Bytes => new Bytes(length);
  static readonly allocUnsafe = (length: number): Bytes => new Bytes(length);

  static override from(source: unknown, encoding: unknown = "utf8"): Bytes {
    if (typeof source !== "string") return new Bytes(source as Uint8Array); // callers give texts or bytes
    const bytes = bytesOf(source, encoding as Encoding);
    return new Bytes(bytes);
  }

  static concat(parts: readonly Uint8Array[]): Bytes {
    const all = new Bytes(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }

  override toString(encoding: Encoding = "utf8"): string {
    if (encoding === "utf8") return new TextDecoder().decode(this);
    if (encoding === "hex") return [...this].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    const text = [...this].map((byte) => String.fromCharCode(byte)).join("");
    if (encoding === "latin1") return text;
    return encoding === "base64" ? btoa(text) : btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  }
}

function bytesOf(text: string, encoding: Encoding): Uint8Array {
  if (encoding === "utf8") return new TextEncoder().encode(text);
  if (encoding === "hex") return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  const raw = encoding === "latin1" ? text : atob(text.replaceAll("-", "+").replaceAll("_", "/").replace(/[\s=]/g, ""));
  return Uint8Array.from(raw, (sign) => sign.charCodeAt(0));
}
