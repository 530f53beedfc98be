import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";
import { maxRunBytes } from "./run-bounds.ts";

/** Texts above this many bytes are compressed, in a table of their own, so that lists of runs do not read them. */
const longText = 65_536;

const deflated = promisify(deflateRaw);
const inflated = promisify(inflateRaw);

/** A text as a table stores it: in its row, or compressed beside it. */
export interface Stored {
  readonly bytes: number;
  readonly text: string | null;
  readonly body: Buffer | null;
}

export async function stored(text: string): Promise<Stored> {
  const bytes = Buffer.byteLength(text);
  if (bytes <= longText) return { bytes, text, body: null };
  return { bytes, text: null, body: await deflated(text) };
}

/** Restores the text. A body never expands to more bytes than one run may hold. */
export async function textOf(text: unknown, body: unknown): Promise<string> {
  if (typeof text === "string") return text;
  if (!(body instanceof Uint8Array)) throw new Error("a row of a run has neither a text nor a body");
  return (await inflated(body, { maxOutputLength: maxRunBytes })).toString();
}
