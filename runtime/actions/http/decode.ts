import { isUtf8 } from "node:buffer";
import { Failure } from "../../failure.ts";
import { type Json, type JsonObject, put } from "../../json.ts";
import { contentEncoding, inflate } from "../../lib/inflate.ts";
import { parseJson, parseJsonLines } from "../../lib/json-text.ts";
import { bodyKind } from "../../lib/media-type.ts";
import type { Answer } from "./exchange.ts";

/** How the author asks for the body to be read; null: by its content type. */
export type DataType = string | null | undefined;

/** Repeated headers are joined by `, `, but `set-cookie` stays a list (language.md 5.1.3). */
export function responseHeaders(received: Record<string, string | string[] | undefined>): JsonObject {
  const headers: JsonObject = {};
  for (const [name, value] of Object.entries(received)) {
    if (value !== undefined) put(headers, name, typeof value === "string" || name === "set-cookie" ? value : value.join(", "));
  }
  return headers;
}

/** The body of a response as data: an empty one is null whatever the type, bytes that are no UTF-8 are Base64 (language.md 5.1.3). */
export async function decode(answer: Answer, type: DataType, limits: { readonly maxResponseBytes: number }): Promise<Json> {
  if (answer.bytes.length === 0) return null;
  const { "content-encoding": encoding } = answer.headers;
  const bytes = typeof encoding === "string" ? await inflated(answer.bytes, encoding, limits.maxResponseBytes) : answer.bytes;
  return type === null || type === undefined ? byContentType(bytes, answer.headers["content-type"]) : byDataType(bytes.toString(), type);
}

async function inflated(bytes: Buffer, header: string, limit: number): Promise<Buffer> {
  const encoding = contentEncoding(header);
  if (!encoding) return bytes;
  const plain = await inflate(bytes, encoding, limit);
  if (plain === undefined) throw bad(`http response exceeds ${limit} bytes`);
  if (plain === null) throw bad(`http response is not valid ${encoding}`);
  return plain;
}

function byDataType(text: string, type: string): Json {
  switch (type) {
    case "text":
      return text;
    case "json":
      return orBad(parseJson(text), "JSON");
    case "ndjson":
    case "jsonl":
      return orBad(parseJsonLines(text), "one JSON document a line");
    default:
      throw new Failure("evaluation", `field data_type: expected text, json, ndjson or jsonl, got '${type.slice(0, 200)}'`);
  }
}

function orBad(value: Json | undefined, expected: string): Json {
  if (value === undefined) throw bad(`http response is not ${expected}`);
  return value;
}

function byContentType(bytes: Buffer, contentType: Json | undefined): Json {
  if (!isUtf8(bytes)) return bytes.toString("base64");
  const text = bytes.toString();
  const isJson =
    bodyKind(typeof contentType === "string" ? contentType : undefined) === "json" || text.startsWith("{") || text.startsWith("[");
  if (!isJson) return text;
  const value = parseJson(text);
  return value === undefined ? text : value;
}

const bad = (text: string): Failure => new Failure("transport", text, { upstream: 502 });
