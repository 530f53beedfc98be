import type { Json } from "../../value/json.ts";
import { characters, each } from "./access.ts";
import { plus } from "./arithmetic.ts";
import { failOn, tojson } from "./dump.ts";
import { fail, giveUp, spend, spendText } from "./signals.ts";

/** Text stays itself, everything else is its JSON. */
export const tostring = (value: Json): string => (typeof value === "string" ? value : tojson(value));

/** A number, or text that is one: spellings that JavaScript writes in another way are left to jq. */
export function tonumber(value: Json): Json {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return failOn(value, "cannot be parsed as a number");
  spendText(value.length * 4);
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
  const whole = text.map((literal, i) => literal + (values[i] ?? "")).join("");
  spendText(whole.length);
  return whole;
}

export function split(value: Json, separator: Json): Json {
  if (typeof value !== "string" || typeof separator !== "string") return fail("split input and separator must be strings");
  if (value === "") return [];
  if (separator === "") return characters(value);
  spendText(value.length);
  const parts = value.split(wellFormed(separator));
  spend(parts.length * 2);
  return parts;
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

/**
 * Takes blanks, tabs and line breaks off the ends. jq takes off further white space of Unicode: a text that then begins or ends with any
 * character beyond plain ASCII is left to jq.
 */
function trimmed(atStart: boolean, atEnd: boolean): (value: Json) => Json {
  return (value) => {
    if (typeof value !== "string") return fail("trim input must be a string");
    spendText(value.length);
    // The loops are linear. A pattern for the blanks at the end would begin anew at each blank before.
    let [from, to] = [0, value.length];
    while (from < to && isBlank(value, from)) from += 1;
    if (from === to) return "";
    while (isBlank(value, to - 1)) to -= 1;
    if (!(isPlain(value, from) && isPlain(value, to - 1))) return giveUp();
    return value.slice(atStart ? from : 0, atEnd ? to : value.length);
  };
}

const isBlank = (text: string, at: number): boolean => " \t\r\n".includes(text.charAt(at));
const isPlain = (text: string, at: number): boolean => text.charAt(at) >= "!" && text.charAt(at) <= "~";

export const trim = trimmed(true, true);
export const ltrim = trimmed(true, false);
export const rtrim = trimmed(false, true);

export function ascii_downcase(value: Json): Json {
  if (typeof value !== "string") return fail("explode input must be a string");
  spend(value.length);
  return value.replace(/[A-Z]+/g, (part) => part.toLowerCase());
}

export function ascii_upcase(value: Json): Json {
  if (typeof value !== "string") return fail("explode input must be a string");
  spend(value.length);
  return value.replace(/[a-z]+/g, (part) => part.toUpperCase());
}

export function fromjson(value: Json): Json {
  if (typeof value !== "string") return failOn(value, "only strings can be parsed");
  spend(value.length);
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
  const text = wellFormed(tostring(value));
  spend(text.length * 3);
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Leaves a text with half a surrogate pair to jq: JavaScript would find the half inside a whole pair. */
function wellFormed(text: string): string {
  spendText(text.length);
  return text.isWellFormed() ? text : giveUp();
}
