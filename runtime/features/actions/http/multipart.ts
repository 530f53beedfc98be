import { basename } from "node:path";
import { FileRefused, readRegular } from "../../../files/regular-file.ts";
import { touches } from "../../../outgoing/touches.ts";
import type { Act } from "../../../run/run.ts";
import { bytesOf } from "../../../value/bytes.ts";
import { Failure } from "../../../value/failure.ts";
import type { Json } from "../../../value/json.ts";
import { codeOf } from "../../../value/thrown.ts";
import { text } from "../../../value/values.ts";
import { mimeOf } from "./mime.ts";

/** A part of a form, with its content in one of `value`, `b64` and `file_path` (spec/language 5.1.1). */
export interface FormPart {
  readonly name: string;
  readonly value?: Json;
  /** Base64. */
  readonly b64?: string | null;
  readonly file_path?: string | null;
  readonly filename?: string | null;
  readonly mime?: string | null;
}

/** A whole body and what it is. */
export interface Typed {
  readonly bytes: Buffer;
  readonly type: string;
}

/** `multipart/form-data` (RFC 7578). A part whose content is unset is left out; the whole may be as large as a response. */
export async function multipart(act: Act, parts: readonly FormPart[]): Promise<Typed> {
  const limit = act.run.host.limits.maxResponseBytes;
  const boundary = `pipewright-${act.run.host.bytes(18).toString("hex")}`;
  const chunks: Buffer[] = [];
  let size = 0;
  for (const part of parts) {
    const content = await contentOf(act, part, limit - size);
    if (content === null) continue;
    chunks.push(Buffer.from(`--${boundary}\r\n${head(part)}\r\n\r\n`), content, Buffer.from("\r\n"));
    size += content.length;
    if (size > limit) throw tooLarge(limit);
  }
  chunks.push(Buffer.from(`--${boundary}--\r\n`));
  return { bytes: Buffer.concat(chunks), type: `multipart/form-data; boundary=${boundary}` };
}

const tooLarge = (limit: number): Failure => new Failure("evaluation", `field multipart: more than ${limit} bytes`);

async function contentOf(act: Act, { value = null, b64 = null, file_path = null }: FormPart, left: number): Promise<Buffer | null> {
  if (file_path !== null) return readPart(act, file_path, left);
  if (b64 !== null) return decoded(b64, "b64");
  return value === null ? null : Buffer.from(text(value));
}

/** The bytes of a Base64 field. */
export function decoded(base64: string, field: string): Buffer {
  const bytes = bytesOf(base64, "base64");
  if (bytes === undefined) throw new Failure("evaluation", `field ${field}: expected Base64`);
  return bytes;
}

/** Files are closed to a config unless the process was started with commands allowed (spec/surfaces 0). */
async function readPart(act: Act, path: string, left: number): Promise<Buffer> {
  const { host } = act.run;
  if (host.env("PIPEWRIGHT_ALLOW_COMMANDS") !== "true") {
    throw new Failure("evaluation", "field file_path: files are closed; PIPEWRIGHT_ALLOW_COMMANDS=true opens them");
  }
  touches(act.run, { kind: "files", name: path });
  try {
    return await readRegular(path, left, act.signal);
  } catch (error) {
    if (error instanceof FileRefused) {
      throw error.isTooLarge
        ? tooLarge(host.limits.maxResponseBytes)
        : new Failure("evaluation", `field file_path: the file cannot be read: ${error.message}`, { cause: error });
    }
    const code = String(codeOf(error) ?? "unknown");
    throw new Failure("evaluation", `field file_path: the file cannot be read (${code})`, { cause: error });
  }
}

function head({ name, b64 = null, file_path = null, filename = null, mime = null }: FormPart): string {
  const file = filename ?? (file_path === null ? null : basename(file_path));
  const disposition = `content-disposition: form-data; name="${escaped(name)}"${file === null ? "" : `; filename="${escaped(file)}"`}`;
  // A part of text that is no file needs no type (RFC 7578, 4.4).
  const type = mime ?? (file === null && b64 === null ? null : mimeOf(file ?? ""));
  return type === null ? disposition : `${disposition}\r\ncontent-type: ${lineOf(type)}`;
}

/** Escapes a name as browsers do: a quote or a line break may not end it. */
const escaped = (name: string): string => name.replace(/"/g, "%22").replace(/\r/g, "%0D").replace(/\n/g, "%0A");

function lineOf(mime: string): string {
  if (/[^\t\x20-\x7e]/.test(mime)) throw new Failure("evaluation", "field mime: invalid character");
  return mime;
}
