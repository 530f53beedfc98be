import { isUtf8 } from "node:buffer";
import { byDataType, type DataTypeSource } from "../../../formats/data-type.ts";
import { parseJson, parseJsonFor } from "../../../formats/json-text.ts";
import { bodyKind } from "../../../formats/media-type.ts";
import { inSlices, type WorkOwner } from "../../../threads/slices.ts";
import { Failure } from "../../../value/failure.ts";
import { type Json, type JsonObject, put } from "../../../value/json.ts";
import type { Answer } from "./answer.ts";
import { readText } from "./charset.ts";
import { codingsOf, decoded } from "./codings.ts";
import { isEventStream, isStream, reassemble, reassembleLines } from "./event-stream.ts";

/** How the author asks for the body to be read; null: by its content type. */
export type DataType = string | null | undefined;

/** Repeated headers are joined by `, `, but `set-cookie` stays a list (spec/language 5.1.3). */
export function responseHeaders(received: ReceivedHeaders): JsonObject {
  for (const name in received) if (typeof received[name] !== "string" && name !== "set-cookie") return joined(received);
  // The client has made this object for us alone, and hardly any response has more to join.
  return received as JsonObject;
}

type ReceivedHeaders = Record<string, string | string[] | undefined>;

function joined(received: ReceivedHeaders): JsonObject {
  const headers: JsonObject = {};
  for (const name in received) {
    const value = received[name];
    if (value !== undefined) put(headers, name, typeof value === "string" || name === "set-cookie" ? value : value.join(", "));
  }
  return headers;
}

/** The body of a response without its content encoding. */
export function plainBytes({ headers, bytes }: Answer, limit: number): Buffer | Promise<Buffer> {
  if (bytes.length === 0) return bytes;
  const codings = codingsOf(headers["content-encoding"]);
  return codings.length === 0 ? bytes : decoded(bytes, codings, limit).then((plain) => plain ?? Promise.reject(tooLong(limit)));
}

/** The body of a response as data: an empty one is null whatever the type, bytes that are no UTF-8 are Base64 (spec/language 5.1.3). */
export function decode(
  bytes: Buffer,
  contentType: Json | undefined,
  type: DataType,
  act: WorkOwner,
  streams = false,
): Json | Promise<Json> {
  if (bytes.length === 0) return null;
  if (type !== null && type !== undefined)
    return byDataType(isJson(type) ? bytes.toString() : readText(bytes, contentType), type, act, source);
  if (isEventStream(contentType)) return inSlices(reassemble(bytes.toString()), act);
  return isStream(contentType, streams) ? inSlices(reassembleLines(bytes.toString()), act) : byContentTypeFor(bytes, contentType, act);
}

/** JSON is UTF-8 (RFC 8259). */
const isJson = (type: string): boolean => type === "json" || type === "ndjson" || type === "jsonl";

/** As `decode` without a `data_type`, but never fails. A long body gives others their turns. */
export function byContentTypeFor(bytes: Buffer, contentType: Json | undefined, act: WorkOwner): Json | Promise<Json> {
  const { text, isJson } = textIn(bytes, contentType);
  if (!isJson) return text;
  const value = parseJsonFor(text, act);
  return value instanceof Promise ? value.then((read) => orText(read, text)) : orText(value, text);
}

/** As `byContentTypeFor`, for a body that is short. */
export function byContentType(bytes: Buffer, contentType: Json | undefined): Json {
  const { text, isJson } = textIn(bytes, contentType);
  return isJson ? orText(parseJson(text), text) : text;
}

type BodyText = { readonly text: string; readonly isJson: true } | { readonly text: Json; readonly isJson: false };

/** The text of a body, and whether its type or its start says that it is JSON. */
function textIn(bytes: Buffer, contentType: Json | undefined): BodyText {
  if (bytes.length === 0) return { text: null, isJson: false };
  if (!isUtf8(bytes)) return { text: bytes.toString("base64"), isJson: false };
  const text = bytes.toString();
  const kind = bodyKind(typeof contentType === "string" ? contentType : undefined);
  return { text, isJson: kind === "json" || text.startsWith("{") || text.startsWith("[") };
}

const orText = (value: Json | undefined, text: string): Json => (value === undefined ? text : value);

export const tooLong = (limit: number): Failure => bad(`http response exceeds ${limit} bytes`);

const bad = (text: string): Failure => new Failure("transport", text, { upstream: 502 });

const source: DataTypeSource = { name: "http response", bad };
