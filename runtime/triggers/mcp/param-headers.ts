import type { McpParamHeader } from "../../plan/tools.ts";
import { isObject, type Json, type JsonObject, own } from "../../value/json.ts";

/** An argument whose header is missing, or has another value. */
export interface Mismatch {
  readonly header: string;
  readonly reason: string;
}

/**
 * Compares the arguments of a call with the headers that repeat them. An argument that is absent, null, a list or an object must have no
 * header: a proxy that reads the header would take the call for another one.
 */
export function mismatchOf(declared: readonly McpParamHeader[], args: JsonObject, headers: JsonObject): Mismatch | undefined {
  for (const param of declared) {
    const header = `Mcp-Param-${param.name}`;
    const value = valueAt(args, param.path);
    const received = own(headers, header.toLowerCase());
    const argument = param.path.join(".");
    if (isInexact(value)) continue;
    const text = textOf(value);
    if (text === undefined) {
      if (received === undefined) continue;
      return { header, reason: `the header ${header} has no argument ${argument}` };
    }
    const decoded = typeof received === "string" ? decodedOf(received) : undefined;
    if (typeof received !== "string") return { header, reason: `the argument ${argument} has no header ${header}` };
    if (decoded === undefined) return { header, reason: `the header ${header} is no Base64 of a text` };
    const isSame = param.number && typeof value === "number" && decimal.test(decoded) ? Number(decoded) === value : decoded === text;
    if (!isSame) return { header, reason: `the header ${header} is not the argument ${argument}` };
  }
  return undefined;
}

const decimal = /^-?\d+(?:\.\d+)?$/;

const valueAt = (args: JsonObject, path: readonly string[]): Json =>
  path.reduce<Json>((at, step) => (isObject(at) ? (own(at, step) ?? null) : null), args);

/** True for an integer that a double may not represent exactly: the digits in its header may differ from those that were parsed. */
const isInexact = (value: Json): boolean => typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value);

/** The text of a value in a header; undefined for null, a list or an object. */
const textOf = (value: Json): string | undefined => (value === null || typeof value === "object" ? undefined : String(value));

/** The text of a header: unchanged, or decoded from Base64 between marks, which is for characters that headers cannot hold. */
function decodedOf(text: string): string | undefined {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(text) ?? [];
  if (encoded === undefined) return text;
  const bytes = Buffer.from(encoded, "base64");
  if (bytes.toString("base64") !== encoded) return undefined;
  const decoded = bytes.toString();
  return Buffer.from(decoded).equals(bytes) ? decoded : undefined;
}
