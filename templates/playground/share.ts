import type { Files } from "./compiled.ts";

// A project in the fragment of an address. The sender may be hostile, so that the size is limited before unpacking, and the contents are
// read as texts only.

/** The largest number of characters in a fragment that browsers, chats and mails accept. */
export const mostFragment = 32_768;

/** The largest unpacked size in bytes, and the largest number of files. */
const most = { bytes: 262_144, files: 20 } as const;

const head = "#v1.";

/** The fragment that holds these files; undefined when it would be too long. */
export async function fragmentOf(files: Files): Promise<string | undefined> {
  const bytes = new TextEncoder().encode(JSON.stringify(files));
  if (bytes.length > most.bytes || !isFiles(files)) return undefined;
  const packed = await bytesFrom(new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw")), most.bytes);
  const text = btoa(Array.from(packed ?? [], (byte) => String.fromCharCode(byte)).join(""));
  const fragment = `${head}${text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
  return packed === undefined || fragment.length > mostFragment ? undefined : fragment;
}

/** The files of a fragment; undefined when `fragmentOf` did not make the fragment. */
export async function filesOf(fragment: string): Promise<Files | undefined> {
  if (fragment.length > mostFragment || !/^#v1\.[\w-]+$/.test(fragment)) return undefined;
  try {
    const text = atob(fragment.slice(head.length).replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(text, (sign) => sign.charCodeAt(0));
    const bytes = await bytesFrom(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")), most.bytes);
    if (bytes === undefined) return undefined;
    const files: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isFiles(files) ? files : undefined;
  } catch {
    // The text is no Base64, nothing that was compressed, no UTF-8 or no JSON.
    return undefined;
  }
}

/** All bytes of a stream. When there are more than the limit, the stream is cancelled and the result is undefined. */
async function bytesFrom(stream: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    length += next.value.length;
    if (length > limit) {
      // Cancelling may fail or never end, which does not matter here.
      reader.cancel().catch(() => undefined);
      return undefined;
    }
    parts.push(next.value);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Valid file names: YAML files, in folders that do not lead upwards. */
const name = /^(?:[\w-][\w.-]{0,60}\/){0,3}[\w-][\w.-]{0,60}\.ya?ml$/;

function isFiles(value: unknown): value is Files {
  if (!Array.isArray(value) || value.length === 0 || value.length > most.files) return false;
  const isFile = (each: unknown): boolean =>
    Array.isArray(each) && each.length === 2 && typeof each[0] === "string" && typeof each[1] === "string" && name.test(each[0]);
  return value.every(isFile) && new Set(value.map(([each]) => each)).size === value.length;
}
