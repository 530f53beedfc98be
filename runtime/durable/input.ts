import type { Request } from "../run/received.ts";
import type { Run } from "../run/run.ts";
import { isObject, type Json, type JsonObject } from "../value/json.ts";

/** The request of a run with its effective parameters, as a text. */
export function inputText({ input, params }: Run): string {
  const { id, caller, trigger, method, path, body, raw_body, headers, ip, bytes, query, parent, hops, agents } = input;
  const isText = raw_body !== null && bytes?.equals(Buffer.from(raw_body)) === true;
  const parts = { id, caller, trigger, method, path, body, raw_body, params, headers, ip, query, parent, hops, agents };
  return JSON.stringify({ ...parts, ...(bytes === undefined ? {} : isText ? { isText } : { bytes: bytes.toString("base64") }) });
}

/** Reads the request from its text. Throws when the text is no such request, because another program has changed the row. */
export function readInput(text: string): Request {
  const parts: Json = JSON.parse(text);
  if (!isObject(parts)) throw new Error("the input of a run cannot be read");
  const { caller = null, bytes, isText, query, parent, hops, agents, raw_body = null } = parts;
  return {
    id: wordOf(parts.id),
    trigger: wordOf(parts.trigger),
    method: wordOrNull(parts.method),
    path: wordOrNull(parts.path),
    body: parts.body ?? null,
    raw_body: wordOrNull(raw_body),
    params: objectOf(parts.params),
    headers: objectOf(parts.headers),
    ip: objectOf(parts.ip),
    ...(isObject(caller) ? { caller: { text: wordOf(caller.text), isTrusted: caller.isTrusted === true } } : {}),
    ...(isText === true ? { bytes: Buffer.from(wordOf(raw_body)) } : {}),
    ...(typeof bytes === "string" ? { bytes: Buffer.from(bytes, "base64") } : {}),
    ...(typeof query === "string" ? { query } : {}),
    ...(typeof parent === "string" ? { parent } : {}),
    ...(typeof hops === "number" ? { hops } : {}),
    ...(Array.isArray(agents) ? { agents: agents.map(wordOf) } : {}),
  };
}

function wordOf(value: Json | undefined): string {
  if (typeof value !== "string") throw new Error("the input of a run lacks a text");
  return value;
}

const wordOrNull = (value: Json | undefined): string | null => (value === null || value === undefined ? null : wordOf(value));

const objectOf = (value: Json | undefined): JsonObject => (isObject(value ?? null) ? (value as JsonObject) : {});
