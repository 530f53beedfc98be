import {
  documentBytes,
  documentEncoding,
  documentEncodings,
  documentKey,
  documentMemory,
  documentTime,
  documentValue,
} from "../../formats/document.ts";
import { type KeyPath, keyPath, write } from "../../paths/path.ts";
import { isRoot, type Source, type SourceArgument, source } from "../../paths/source.ts";
import type { Act } from "../../run/run.ts";
import { keyedFrom, ofText } from "../../shapes/arguments.ts";
import { string } from "../../shapes/shape.ts";
import { code } from "../../threads/kinds/pdf.code.ts";
import type { PdfRequest } from "../../threads/kinds/pdf.ts";
import { inWorker, type WorkerKind } from "../../threads/worker.ts";
import type { Json } from "../../value/json.ts";
import { oneOf } from "../../value/one-of.ts";
import type { Transform } from "../feature.ts";

interface Args {
  readonly value: SourceArgument;
  readonly key: string | null;
  readonly encoding?: string | null;
}

interface Ready {
  readonly value: Source;
  readonly key: KeyPath;
}

const pdf: WorkerKind<PdfRequest, string> = { name: "pdf", code, ...documentMemory };

/** Stage 1 parses the paths, and refuses an unknown encoding. */
export function prepare({ value, key, encoding }: Args): Ready {
  oneOf("encoding", encoding, documentEncodings, "base64");
  return { value: source(value), key: keyPath(key) };
}

/**
 * Writes the text of a PDF under the key: all pages in order with a form feed between them, lines with a line feed; images give no text.
 * The source stays. A document that needs a password is refused. It is read in a thread with bounds of time and memory; scripts in it never
 * run.
 */
export async function parse_pdf(data: Json, { value, key }: Ready, act: Act): Promise<Json> {
  const { host } = act.run;
  const bytes = documentBytes(data, value, host);
  const request = { bytes, longest: host.limits.maxDocumentBytes };
  const text = await inWorker(host, pdf, request, { signal: act.signal, limit: documentTime });
  return write(data, key, text, isRoot(value));
}

export const spec: Transform<Args, Ready> = {
  summary: "Read the text of a PDF.",
  schema: {
    type: "object",
    required: ["value", "key"],
    additionalProperties: false,
    properties: { value: documentValue, key: documentKey, encoding: documentEncoding },
  },
  bounds: "`max_document_bytes`, as much text; 256 MiB and 10 s in the thread",
  // The limit is that of the process.
  effect: "limits",
  async: true,
  prepare,
  run: parse_pdf,
  shape: (data, { shape: args }) => keyedFrom(data, args, "value", ofText(string)),
};
