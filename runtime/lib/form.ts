import { type Json, type JsonObject, own, put } from "../json.ts";

/**
 * Fields of a query string or of an urlencoded body: strings, a repeated key is a list of strings (decisions.md, "Conflicts settled").
 * Undefined when an escape is not UTF-8.
 */
export function parseForm(text: string): JsonObject | undefined {
  const fields: JsonObject = {};
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const key = formText(equals < 0 ? pair : pair.slice(0, equals));
    const value = formText(equals < 0 ? "" : pair.slice(equals + 1));
    if (key === undefined || value === undefined) return undefined;
    add(fields, key, value);
  }
  return fields;
}

function add(fields: JsonObject, key: string, value: string): void {
  const present = own(fields, key);
  if (Array.isArray(present)) present.push(value);
  else put(fields, key, present === undefined ? value : [present, value]);
}

const formText = (text: string): string | undefined => percentDecode(text.includes("+") ? text.replaceAll("+", " ") : text);

/** Resolves `%XX`; a percent sign that starts no escape is itself. Undefined when the bytes are not UTF-8. */
export function percentDecode(text: string): string | undefined {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text.replace(/%(?![0-9A-Fa-f]{2})/g, "%25"));
  } catch {
    return undefined;
  }
}

/** A map as an urlencoded body: a list repeats its key, null leaves its key out, other structures are JSON text. */
export function encodeForm(fields: JsonObject): string {
  const out = new URLSearchParams();
  for (const [key, value] of Object.entries(fields)) {
    for (const item of Array.isArray(value) ? value : [value]) if (item !== null) out.append(key, fieldText(item));
  }
  return out.toString();
}

const fieldText = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));
