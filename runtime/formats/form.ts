import { type Json, type JsonObject, own, put } from "../value/json.ts";

/** Most fields of a form or of a query: a field takes far longer to read than its bytes do. */
export const mostFields = 10_000;

/** Why a form cannot be read: an escape is not UTF-8, or there are more fields than `mostFields`. */
export type FormFault = "invalid" | "too many";

/** Fields of a query string or of an urlencoded body: strings, a repeated key is a list of strings (spec/surfaces 1). */
export function parseForm(text: string): { readonly fields: JsonObject } | { readonly fault: FormFault } {
  const fields: JsonObject = {};
  let count = 0;
  for (let start = 0, end = 0; end < text.length; start = end + 1) {
    const next = text.indexOf("&", start);
    end = next < 0 ? text.length : next;
    if (start === end) continue;
    count += 1;
    if (count > mostFields) return { fault: "too many" };
    const pair = text.slice(start, end);
    const equals = pair.indexOf("=");
    const key = formText(equals < 0 ? pair : pair.slice(0, equals));
    const value = formText(equals < 0 ? "" : pair.slice(equals + 1));
    if (key === undefined || value === undefined) return { fault: "invalid" };
    add(fields, key, value);
  }
  return { fields };
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
