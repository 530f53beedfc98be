import { type Encoding, inflate, isEncoding } from "../../../formats/inflate.ts";
import { Failure } from "../../../value/failure.ts";
import type { Json } from "../../../value/json.ts";

/** The most codings of one body. */
const most = 3;

/** Codings that are registered and that nobody undoes here. */
const unknown: ReadonlySet<string> = new Set(["compress", "x-compress", "dcb", "dcz", "exi", "pack200-gzip"]);

const none: readonly string[] = [];

/** The codings of a body, in the order in which they were applied. A name that is no coding, such as `utf-8`, says nothing of the bytes. */
export function codingsOf(header: Json | undefined): readonly string[] {
  if (typeof header !== "string") return none;
  const names = header.split(",").map((name) => name.trim().toLowerCase());
  return names.filter((name) => isEncoding(name) || unknown.has(name));
}

/** Undoes the codings of a body, the last one first. Throws the `Failure` of one that is broken or not known. */
export async function decoded(bytes: Buffer, codings: readonly string[], limit: number): Promise<Buffer> {
  if (codings.length > most) throw bad(`http response has more than ${most} content encodings`);
  let plain = bytes;
  for (const name of codings.toReversed()) plain = await once(plain, name, limit);
  return plain;
}

async function once(bytes: Buffer, name: string, limit: number): Promise<Buffer> {
  if (!isEncoding(name)) throw bad(`http response has the content encoding ${name}, which is not supported`);
  const plain = await inflate(bytes, name satisfies Encoding, limit);
  if (plain === undefined) throw tooLong(limit);
  if (plain === null) throw bad(`http response is not valid ${name}`);
  return plain;
}

export const tooLong = (limit: number): Failure => bad(`http response exceeds ${limit} bytes`);

const bad = (text: string): Failure => new Failure("transport", text, { upstream: 502 });
