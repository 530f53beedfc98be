import type { Files } from "./compiled.ts";

// A project in the fragment of an address: what a stranger has sent is bounded before it is unpacked, and taken for texts alone.

/** Characters of a fragment: what browsers, chats and mails let pass. */
export const mostFragment = 32_768;

/** Bytes that a fragment may unpack to, and files. */
const most = { bytes: 262_144, files: 20 } as const;

const head = "#v1.";

/** The fragment of some files; undefined when they are too long for one. */
export async function fragmentOf(files: Files): Promise<string | undefined> {
  const bytes = new TextEncoder().encode(JSON.stringify(files));
  if (bytes.length > most.bytes || !isFiles(files)) return undefined;
  const packed = await bytesFrom(new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw")), most.bytes);
  const text = btoa(Array.from(packed ?? [], (byte) => String.fromCharCode(byte)).join(""));
  const fragment = `${head}${text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
  return packed === undefined || fragment.length > mostFragment ? undefined : fragment;
}

/** The files of a fragment; undefined for anything that is not one of ours. */
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

/** All bytes of a stream; undefined as soon as there are more than the limit, when the stream is given up. */
async function bytesFrom(stream: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    length += next.value.length;
    if (length > limit) {
      // The other end may never hear of it, and nobody waits for that.
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

/** Names are those of YAML files, with folders that do not lead up. */
const name = /^(?:[\w-][\w.-]{0,60}\/){0,3}[\w-][\w.-]{0,60}\.ya?ml$/;

function isFiles(value: unknown): value is Files {
  if (!Array.isArray(value) || value.length === 0 || value.length > most.files) return false;
  const isFile = (each: unknown): boolean =>
    Array.isArray(each) && each.length === 2 && typeof each[0] === "string" && typeof each[1] === "string" && name.test(each[0]);
  return value.every(isFile) && new Set(value.map(([each]) => each)).size === value.length;
}
