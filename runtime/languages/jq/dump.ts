import type { Json } from "../../value/json.ts";
import { deepest, fail, giveUp, spend, spendText } from "./signals.ts";

/** The type of a value as jq names it in its messages. */
export function type(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

/** A value as compact JSON, as jq writes it. */
export function tojson(value: Json): string {
  requirePlain(value, 0);
  return JSON.stringify(value);
}

/** Steps for a value that is checked and written: it takes as long as several elements that are only visited. */
const scalarSteps = 5;

/**
 * Gives up on a value that jq would write differently. Numbers are written alike by jq and by JavaScript only within these bounds, and text
 * only without these characters.
 */
function requirePlain(value: Json, depth: number): void {
  spend(scalarSteps);
  if (typeof value === "string") requireText(value);
  else if (typeof value === "number") requireNumber(value);
  else if (typeof value === "object" && value !== null) {
    if (depth > deepest) giveUp();
    if (Array.isArray(value)) for (const item of value) requirePlain(item, depth + 1);
    else
      for (const key of Object.keys(value)) {
        requireText(key);
        requirePlain(value[key] ?? null, depth + 1);
      }
  }
}

/** Gives up on a text that jq would write differently: it escapes U+007F, and half a pair of surrogates is not one of its characters. */
function requireText(text: string): void {
  spendText(text.length);
  if (text.includes("\u007f") || !text.isWellFormed()) giveUp();
}

function requireNumber(value: number): void {
  const size = Math.abs(value);
  if (!(size < 1e15 && (size >= 1e-3 || value === 0)) || Object.is(value, -0)) giveUp();
}

/** Bytes that a message shows of a value. */
const longest = 29;
const prefix = 25;

/** A value in a message: its type, and as much of its JSON as jq shows. */
export function shown(value: Json): string {
  return `${type(value)} (${cut(tojson(value))})`;
}

function cut(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= longest) return text;
  let end = prefix;
  // The cut is never inside of a character.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.toString("utf8", 0, end)}...${text.at(-1)}`;
}

/** Fails with a message about one value. */
export const failOn = (value: Json, problem: string): never => fail(`${shown(value)} ${problem}`);

/** Fails with a message about two values. */
export const failOnBoth = (left: Json, right: Json, problem: string): never => fail(`${shown(left)} and ${shown(right)} ${problem}`);

/** The message of an error as the action shows it: any other value than text is shown as JSON. */
export const messageOf = (value: Json): string => (typeof value === "string" ? value : tojson(value));
