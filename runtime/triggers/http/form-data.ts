import { MIMEType } from "node:util";
import { mostFields } from "../../formats/form.ts";
import { type Refusal, refusals } from "../../run/refusals.ts";
import { type Json, type JsonObject, own, put } from "../../value/json.ts";
import { plainForm } from "./form-lines.ts";
import type { Pieces } from "./pieces.ts";
import type { Received } from "./received-body.ts";

/**
 * Reads a `multipart/form-data` body (spec/surfaces 1): fields are texts, files `{filename, mime, size, b64}`, a repeated name is a list.
 * Node's own parser reads it; parts are counted first, since each costs far more than its bytes.
 */
export async function receiveFormData(body: Pieces, plain: Buffer, contentType: string, maxParts: number): Promise<Received | Refusal> {
  const boundary = boundaryOf(contentType);
  if (boundary === undefined) return refusals.invalidFormData;
  const delimiter = `--${boundary}`;
  const parts = countParts(plain, delimiter);
  if (parts > mostFields) return refusals.tooManyFields;
  if (parts > maxParts || headBytes(plain, delimiter) > mostHeadBytes) return refusals.payloadTooLarge;
  const sent = plainForm(plain, boundary);
  let form: FormData;
  try {
    form = await new Response(new Uint8Array(sent.bytes), {
      headers: { "content-type": `multipart/form-data; boundary="${sent.boundary}"` },
    }).formData();
  } catch {
    return refusals.invalidFormData;
  }
  if (isLossy(form, plain)) return refusals.invalidFormData;
  const fields: JsonObject = {};
  for (const [name, content] of form) add(fields, name, typeof content === "string" ? content : await fileOf(content));
  return { sent: body, value: fields };
}

/** The boundary by which parts are counted and read; undefined when there is none, or when it cannot be written unchanged in quotes. */
function boundaryOf(contentType: string): string | undefined {
  try {
    const boundary = new MIMEType(contentType).params.get("boundary");
    return boundary !== null && /^[ !#-[\]-~]+$/.test(boundary) ? boundary : undefined;
  } catch {
    return undefined;
  }
}

/** The number of parts; counting ends above `mostFields`. */
function countParts(bytes: Buffer, delimiter: string): number {
  // The last delimiter ends the form, and begins no part.
  let count = -1;
  for (let at = bytes.indexOf(delimiter); at >= 0 && count <= mostFields; at = bytes.indexOf(delimiter, at + delimiter.length)) count += 1;
  return count;
}

/** The most bytes of the headers of all parts: each costs its parser many times the time of a byte of content. */
const mostHeadBytes = 1_048_576;

/** The bytes between the delimiters that begin a line and the blank lines behind them; counting ends above `mostHeadBytes`. */
function headBytes(bytes: Buffer, delimiter: string): number {
  let sum = 0;
  for (let at = bytes.indexOf(delimiter); at >= 0 && sum <= mostHeadBytes; at = bytes.indexOf(delimiter, at + delimiter.length)) {
    const start = at + delimiter.length;
    const isDelimiter = at === 0 || bytes.toString("latin1", at - 2, at) === "\r\n";
    if (!isDelimiter || bytes.toString("latin1", start, start + 2) === "--") continue;
    const end = bytes.indexOf("\r\n\r\n", start);
    sum += (end < 0 ? bytes.length : end) - start;
  }
  return sum;
}

/** True when a name or a text was no UTF-8: the parser has then put more replacement characters into the form than were sent. */
function isLossy(form: FormData, plain: Buffer): boolean {
  const texts = [...form].flatMap(([name, content]) => (typeof content === "string" ? [name, content] : [name, content.name]));
  const replaced = texts.reduce((sum, text) => sum + text.split(replacement).length - 1, 0);
  return replaced > 0 && replaced > plain.toString("latin1").split(replacementBytes).length - 1;
}

const replacement = "\ufffd";

/** The UTF-8 of the replacement character, one character for each byte. */
const replacementBytes = "\xef\xbf\xbd";

async function fileOf(file: File): Promise<JsonObject> {
  const content = Buffer.from(await file.arrayBuffer());
  return { filename: file.name, mime: file.type, size: content.length, b64: content.toString("base64") };
}

function add(fields: JsonObject, name: string, value: Json): void {
  const present = own(fields, name);
  if (Array.isArray(present)) present.push(value);
  else put(fields, name, present === undefined ? value : [present, value]);
}
