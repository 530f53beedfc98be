import type { Json } from "#runtime/json.ts";
import type { Expr, Part } from "#runtime/plan.ts";
import { InternalError } from "../diagnostics/diagnostic.ts";
import { listOf, mapOf } from "./fold.ts";
import type { Marker, TemplatePart } from "./marker.ts";
import { lastFilter, textOf, withoutLastFilter } from "./reads.ts";

/** A JSON text with markers, parsed once: literal text fixes its structure, a marker only ever fills its own hole (language.md 2.8 C). */
export type JsonNode =
  | { readonly kind: "literal"; readonly value: Json }
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

/** Lowers a marker that stands in text, or one that gives a value. */
export type LowerMarker = (marker: Marker, embedded: boolean) => Expr;

/** Nesting that a template may have; deeper text is no template. */
const deepest = 500;

/** The template, or undefined when the text with every marker replaced by a value is not JSON. */
export function readJsonTemplate(parts: readonly TemplatePart[]): JsonNode | undefined {
  // A marker is one NUL here: JSON has no other place for that character.
  if (parts.some((part) => part.kind === "text" && part.text.includes("\0"))) return undefined;
  const text = parts.map((part) => (part.kind === "text" ? part.text : "\0")).join("");
  const cursor: Cursor = { text, at: 0, markers: parts.filter((part) => part.kind === "marker"), used: 0 };
  const node = value(cursor, 0);
  skip(cursor);
  return node !== undefined && cursor.at === text.length ? node : undefined;
}

/** The value of the template: what parsing its text would give. */
export function jsonValue(node: JsonNode, lower: LowerMarker): Expr {
  switch (node.kind) {
    case "literal":
      return { op: "lit", value: node.value };
    case "hole":
      return valueHole(node.marker, lower).value;
    case "text":
      return stringText(node, lower);
    case "list":
      return listOf(node.items.map((item) => jsonValue(item, lower)));
    case "map":
      return mapOf(node.entries.map(([key, item]) => [keyOf(key, lower), jsonValue(item, lower)] as const));
  }
}

/** The author's text with every hole filled by escaped JSON. */
export function jsonText(node: JsonNode, parts: readonly TemplatePart[], lower: LowerMarker): Expr {
  const fills = new Map<Marker, readonly Part[]>();
  collect(node, lower, fills);
  return textOf(parts.flatMap((part) => (part.kind === "text" ? [part.text] : (fills.get(part) ?? []))));
}

function collect(node: JsonNode, lower: LowerMarker, fills: Map<Marker, readonly Part[]>): void {
  switch (node.kind) {
    case "literal":
      return;
    case "hole":
      fills.set(node.marker, [valueHole(node.marker, lower).fill]);
      return;
    case "text":
      for (const part of node.parts) {
        if (typeof part === "string") continue;
        const hole = { fill: "json_string", of: stringHole(part, lower) } as const;
        fills.set(part, node.quoted ? [hole] : ['"', hole, '"']);
      }
      return;
    case "list":
      for (const item of node.items) collect(item, lower, fills);
      return;
    case "map":
      for (const [key, item] of node.entries) {
        collect(key, lower, fills);
        collect(item, lower, fills);
      }
  }
}

/**
 * A hole in value position, as value and as text. A string is re-read as a scalar; `double_quote` only says that it is text,
 * `json_stringify` that a scalar is: neither escapes a second time.
 */
function valueHole(marker: Marker, lower: LowerMarker): { readonly value: Expr; readonly fill: Part } {
  const last = lastFilter(marker);
  if (last === "double_quote") {
    const of: Expr = { op: "join", items: [lower(withoutLastFilter(marker), true)] };
    return { value: of, fill: { fill: "json_exact", of } };
  }
  if (last === "json_stringify" || last === "tojson") {
    const of: Expr = { op: "filter", use: "json_value_of", of: lower(withoutLastFilter(marker), false), args: [] };
    return { value: of, fill: { fill: "json_exact", of } };
  }
  const of = lower(marker, false);
  return { value: { op: "reread", of }, fill: { fill: "json_value", of } };
}

/** A hole inside a string literal: text, which is escaped once whether or not the author asks for it. */
function stringHole(marker: Marker, lower: LowerMarker): Expr {
  const last = lastFilter(marker);
  return lower(last === "json_escape" || last === "json_esc" ? withoutLastFilter(marker) : marker, true);
}

function stringText({ parts }: JsonText, lower: LowerMarker): Expr {
  return textOf(parts.map((part) => (typeof part === "string" ? part : { fill: "text", of: stringHole(part, lower) })));
}

function keyOf(key: JsonText, lower: LowerMarker): string | Expr {
  const text = stringText(key, lower);
  return text.op === "lit" ? String(text.value) : text;
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
  const found = scalar.exec(cursor.text)?.[0];
  if (found === undefined) return undefined;
  cursor.at += found.length;
  return { kind: "literal", value: JSON.parse(found) };
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

/** Each NUL is one marker, in order. */
function nextMarker(cursor: Cursor): Marker {
  const marker = cursor.markers[cursor.used];
  cursor.used += 1;
  if (marker === undefined) throw new InternalError("a hole without a marker");
  return marker;
}
