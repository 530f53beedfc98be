import type { JsonSchema } from "../features/feature.ts";
import { type Source, sourceText } from "../paths/source.ts";
import type { Host } from "../process/host.ts";
import { requireEntitled } from "../value/entitled.ts";
import { Failure } from "../value/failure.ts";
import type { Json } from "../value/json.ts";
import { encodedBytes } from "./compression.ts";

/** How a document is written as text. */
export const documentEncodings = ["base64", "base64url"] as const;

/** Milliseconds that reading a document may take. */
export const documentTime = 10_000;
/** MiB of memory that reading a document may take: `heap` for values, `buffers` for bytes. */
export const documentMemory = { heap: 256, buffers: 256 } as const;

/** The output of a document may be at most so many times as large as the document (spec/transforms 5). */
export const growth = 16;

/**
 * The bytes of a document, at most `max_document_bytes`. They have memory of their own, so that a copy of it for a thread holds nothing
 * else.
 */
export function documentBytes(data: Json, from: Source, host: Host): Uint8Array {
  requireEntitled(host, "documents");
  const bytes = encodedBytes(sourceText(data, from), "base64");
  const limit = host.limits.maxDocumentBytes;
  if (bytes.length > limit) throw new Failure("transform", `document is ${bytes.length} bytes, the limit is ${limit}`);
  return new Uint8Array(bytes);
}

// Fields that the transforms of documents have in common.

export const documentValue: JsonSchema = {
  type: "string",
  context: "source",
  description: "Path of the Base64 text of the document, or a marker that gives it; empty means all data.",
};
export const documentKey: JsonSchema = { type: "string", context: "path", description: "Where the result is written." };
export const documentEncoding: JsonSchema = {
  type: "string",
  enum: documentEncodings,
  default: "base64",
  description: "How the bytes are written; either alphabet is read as the other.",
};
