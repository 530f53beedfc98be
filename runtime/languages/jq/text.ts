import type { Json } from "../../value/json.ts";
import { characters, each } from "./access.ts";
import { plus } from "./arithmetic.ts";
import { failOn, tojson } from "./dump.ts";
import { fail, giveUp } from "./signals.ts";

/** Text stays itself, everything else is its JSON. */
export const tostring = (value: Json): string => (typeof value === "string" ? value : tojson(value));

/** A number, or text that is one: spellings that JavaScript writes in another way are left to jq. */
export function tonumber(value: Json): Json {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return failOn(value, "cannot be parsed as a number");
  if (!/[\dnNiI]/.test(value)) return failOn(value, "cannot be parsed as a number");
  const number = Number(value);
  return /^-?\d+(?:\.\d+)?$/.test(value) && String(number) === value ? number : giveUp();
}

/** Text with filters in it, of which jq runs the last one first. */
export function interpolated(text: readonly string[], ...parts: readonly (() => string)[]): string {
  const values = parts
    .toReversed()
    .map((part) => part())
    .toReversed();
  return text.map((literal, i) => literal + (values[i] ?? "")).join("");
}

export function split(value: Json, separator: Json): Json {
  if (typeof value !== "string" || typeof separator !== "string") return fail("split input and separator must be strings");
  if (value === "") return [];
  return separator === "" ? characters(value) : value.split(wellFormed(separator));
}

/** Null is nothing, numbers and booleans are written as JSON. */
export function join(value: Json, separator: Json): Json {
  let out: Json = null;
  for (const item of each(value)) {
    const part = item === null ? "" : typeof item === "object" ? item : tostring(item);
    out = plus(out === null ? "" : plus(out, separator), part);
  }
  return out ?? "";
}

export function startswith(value: Json, part: Json): Json {
  if (typeof value !== "string" || typeof part !== "string") return fail("startswith() requires string inputs");
  return value.startsWith(wellFormed(part));
}

export function endswith(value: Json, part: Json): Json {
  if (typeof value !== "string" || typeof part !== "string") return fail("endswith() requires string inputs");
  return value.endsWith(wellFormed(part));
}

export function ltrimstr(value: Json, part: Json): Json {
  if (typeof value !== "string" || typeof part !== "string") return fail("startswith() requires string inputs");
  return value.startsWith(wellFormed(part)) ? value.slice(part.length) : value;
}

export function rtrimstr(value: Json, part: Json): Json {
  if (typeof value !== "string" || typeof part !== "string") return fail("endswith() requires string inputs");
  return value.endsWith(wellFormed(part)) ? value.slice(0, value.length - part.length) : value;
}

/** White space of jq is that of Unicode in part: only the plain kind is taken off here. */
function trimmed(pattern: RegExp): (value: Json) => Json {
  return (value) => {
    if (typeof value !== "string") return fail("trim input must be a string");
    if (/^[^!-~]|[^!-~]$/.test(value.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, ""))) return giveUp();
    return value.replace(pattern, "");
  };
}

export const trim = trimmed(/^[ \t\r\n]+|[ \t\r\n]+$/g);
export const ltrim = trimmed(/^[ \t\r\n]+/);
export const rtrim = trimmed(/[ \t\r\n]+$/);

export function ascii_downcase(value: Json): Json {
  return typeof value === "string" ? value.replace(/[A-Z]+/g, (part) => part.toLowerCase()) : fail("explode input must be a string");
}

export function ascii_upcase(value: Json): Json {
  return typeof value === "string" ? value.replace(/[a-z]+/g, (part) => part.toUpperCase()) : fail("explode input must be a string");
}

export function fromjson(value: Json): Json {
  if (typeof value !== "string") return failOn(value, "only strings can be parsed");
  try {
    const parsed = JSON.parse(value) as Json; // what JSON.parse gives is JSON
    // Spellings of numbers and repeated or moved keys would be lost; half a surrogate pair is none of jq's characters.
    return JSON.stringify(parsed) === value && !value.includes("\\ud") ? parsed : giveUp();
  } catch {
    return giveUp();
  }
}

/** `@base64` */
export const base64 = (value: Json): string => Buffer.from(wellFormed(tostring(value))).toString("base64");

/** `@uri` */
export function uri(value: Json): string {
  return encodeURIComponent(wellFormed(tostring(value))).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Half a surrogate pair would be found in a whole one. */
const wellFormed = (text: string): string => (text.isWellFormed() ? text : giveUp());
