import type { Json } from "#runtime/value/json.ts";
import { InternalError } from "../../diagnostics/diagnostic.ts";
import type { Marker, TemplatePart } from "./marker.ts";

/** A JSON text with markers, parsed once: literal text fixes its structure, and a marker fills only its own hole (spec/language 2.8 C). */
export type JsonNode =
  /** `at` is the offset of `written` in the text in which each marker is one character. */
  | { readonly kind: "literal"; readonly value: Json; readonly written: string; readonly at: number }
  | { readonly kind: "hole"; readonly marker: Marker }
  | JsonText
  | { readonly kind: "list"; readonly items: readonly JsonNode[] }
  | { readonly kind: "map"; readonly entries: readonly (readonly [JsonText, JsonNode])[] };

/** A string literal or a key. A key may be a marker without quotes. */
export interface JsonText {
  readonly kind: "text";
  readonly parts: readonly (string | Marker)[];
  readonly quoted: boolean;
}

/** The deepest nesting of a template; deeper text is no template. */
const deepest = 500;

/** The structure of the text, or undefined when it is not JSON with every marker replaced by a value. */
export function readJsonTemplate(parts: readonly TemplatePart[]): JsonNode | undefined {
  const read = readJson(parts);
  return "stopped" in read ? undefined : read;
}

/**
 * The structure of the text. When the text is not JSON, `stopped` is the offset in the scalar at which it stops being JSON; a marker counts
 * with its written length.
 */
export function readJson(parts: readonly TemplatePart[]): JsonNode | { readonly stopped: number } {
  // A marker is one NUL here: JSON has no other place for that character.
  const foreign = parts.find((part) => part.kind === "text" && part.text.includes("\0"));
  if (foreign !== undefined) return { stopped: foreign.start };
  const text = parts.map((part) => (part.kind === "text" ? part.text : "\0")).join("");
  const cursor: Cursor = { text, at: 0, markers: parts.filter((part) => part.kind === "marker"), used: 0 };
  const node = value(cursor, 0);
  skip(cursor);
  return node !== undefined && cursor.at === text.length ? node : { stopped: written(cursor.at, parts) };
}

/** The offset in the scalar for an offset in the text in which each marker is one character. */
export function written(at: number, parts: readonly TemplatePart[]): number {
  let before = 0;
  for (const part of parts) {
    const length = part.kind === "text" ? part.text.length : 1;
    if (at < before + length) return part.kind === "text" && part.end - part.start === length ? part.start + at - before : part.start;
    before += length;
  }
  return parts.at(-1)?.end ?? 0;
}

// The grammar of RFC 8259, with markers as strings, parts of strings, values and keys.

interface Cursor {
  readonly text: string;
  readonly markers: readonly Marker[];
  at: number;
  used: number;
}

function value(cursor: Cursor, depth: number): JsonNode | undefined {
  skip(cursor);
  if (depth > deepest) return undefined;
  if (take(cursor, "\0")) return { kind: "hole", marker: nextMarker(cursor) };
  if (cursor.text[cursor.at] === '"') return string(cursor);
  if (take(cursor, "[")) return list(cursor, depth);
  if (take(cursor, "{")) return map(cursor, depth);
  const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
  scalar.lastIndex = cursor.at;
  const token = scalar.exec(cursor.text)?.[0];
  if (token === undefined) return undefined;
  cursor.at += token.length;
  return { kind: "literal", value: JSON.parse(token), written: token, at: scalar.lastIndex - token.length };
}

function list(cursor: Cursor, depth: number): JsonNode | undefined {
  const items: JsonNode[] = [];
  skip(cursor);
  if (take(cursor, "]")) return { kind: "list", items };
  for (;;) {
    const item = value(cursor, depth + 1);
    if (item === undefined) return undefined;
    items.push(item);
    skip(cursor);
    if (take(cursor, "]")) return { kind: "list", items };
    if (!take(cursor, ",")) return undefined;
  }
}

function map(cursor: Cursor, depth: number): JsonNode | undefined {
  const entries: (readonly [JsonText, JsonNode])[] = [];
  skip(cursor);
  if (take(cursor, "}")) return { kind: "map", entries };
  for (;;) {
    const key = readKey(cursor);
    skip(cursor);
    const item = key !== undefined && take(cursor, ":") ? value(cursor, depth + 1) : undefined;
    if (key === undefined || item === undefined) return undefined;
    entries.push([key, item]);
    skip(cursor);
    if (take(cursor, "}")) return { kind: "map", entries };
    if (!take(cursor, ",")) return undefined;
  }
}

function readKey(cursor: Cursor): JsonText | undefined {
  skip(cursor);
  return take(cursor, "\0") ? { kind: "text", parts: [nextMarker(cursor)], quoted: false } : string(cursor);
}

function string(cursor: Cursor): JsonText | undefined {
  const literal = /"(?:[^"\\]|\\[^\0])*"/y;
  literal.lastIndex = cursor.at;
  const raw = literal.exec(cursor.text)?.[0];
  if (raw === undefined) return undefined;
  cursor.at += raw.length;
  const parts: (string | Marker)[] = [];
  for (const [i, chunk] of raw.slice(1, -1).split("\0").entries()) {
    const text = unescaped(chunk);
    if (text === undefined) return undefined;
    if (i > 0) parts.push(nextMarker(cursor));
    if (text !== "") parts.push(text);
  }
  return { kind: "text", parts, quoted: true };
}

function unescaped(chunk: string): string | undefined {
  try {
    return String(JSON.parse(`"${chunk}"`));
  } catch {
    return undefined;
  }
}

function skip(cursor: Cursor): void {
  while (/[ \t\r\n]/.test(cursor.text[cursor.at] ?? "")) cursor.at += 1;
}

function take(cursor: Cursor, character: string): boolean {
  if (cursor.text[cursor.at] !== character) return false;
  cursor.at += 1;
  return true;
}

/** The marker of the next NUL; the markers are in the order of the text. */
function nextMarker(cursor: Cursor): Marker {
  const marker = cursor.markers[cursor.used];
  cursor.used += 1;
  if (marker === undefined) throw new InternalError("a hole without a marker");
  return marker;
}
