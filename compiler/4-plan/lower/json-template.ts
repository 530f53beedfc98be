import type { Expr, TextPart } from "#runtime/plan/index.ts";
import type { Json } from "#runtime/value/json.ts";
import { InternalError } from "../../diagnostics/diagnostic.ts";
import type { Marker, TemplatePart } from "../markers/marker.ts";
import { listOf, mapOf } from "./fold.ts";
import { lastFilter, textOf, withoutLastFilter } from "./reads.ts";
import type { Scalar } from "./scalar.ts";

/** A JSON text with markers, parsed once: literal text fixes its structure, a marker only ever fills its own hole (spec/language 2.8 C). */
export type JsonNode =
  /** `written` stands at `at` of the text in which each marker is one character. */
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

/** How the markers of a JSON text are lowered. */
export interface Holes {
  /** `embedded`: the marker stands in text; else it gives a value. */
  readonly lower: (marker: Marker, embedded: boolean) => Expr;
  /** The JSON text of the template that a marker in value position names; undefined for every other marker. */
  readonly template: (marker: Marker) => JsonTemplate | undefined;
}

/** A whole JSON text: its structure, its parts as they are written, and how its markers are lowered. */
export interface JsonTemplate {
  readonly node: JsonNode;
  readonly parts: readonly TemplatePart[];
  readonly holes: Holes;
  /** The scalar that it stands in. */
  readonly scalar: Scalar;
}

/** Nesting that a template may have; deeper text is no template. */
const deepest = 500;

/** The structure of the text, or undefined when it is not JSON with every marker replaced by a value. */
export function readJsonTemplate(parts: readonly TemplatePart[]): JsonNode | undefined {
  const read = readJson(parts);
  return "stopped" in read ? undefined : read;
}

/**
 * The structure of the text; or, when it cannot be JSON, the offset in the scalar up to which it could still be. A marker counts with its
 * written length.
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

/** The offset in the scalar of an offset in the text in which each marker is one character. */
export function written(at: number, parts: readonly TemplatePart[]): number {
  let before = 0;
  for (const part of parts) {
    const length = part.kind === "text" ? part.text.length : 1;
    if (at < before + length) return part.kind === "text" && part.end - part.start === length ? part.start + at - before : part.start;
    before += length;
  }
  return parts.at(-1)?.end ?? 0;
}

/** The value of the template: what parsing its text would give. */
export const jsonValue = ({ node, holes }: JsonTemplate): Expr => valueIn(node, holes);

function valueIn(node: JsonNode, holes: Holes): Expr {
  switch (node.kind) {
    case "literal":
      return { op: "lit", value: node.value };
    case "hole":
      return valueHole(node.marker, holes).value;
    case "text":
      return stringText(node, holes);
    case "list":
      return listOf(node.items.map((item) => valueIn(item, holes)));
    case "map":
      return mapOf(node.entries.map(([key, item]) => [keyOf(key, holes), valueIn(item, holes)] as const));
  }
}

/** The author's text with every hole filled by escaped JSON (spec/language 2.5, 2.8 C). */
export const jsonText = (template: JsonTemplate): Expr => textOf(textParts(template));

/** Where a marker names a key, an empty one drops its entry and a later duplicate wins: the text is then that of the value. */
function textParts(template: JsonTemplate): readonly TextPart[] {
  const { node, parts, holes } = template;
  if (namesKeys(node)) return [{ fill: "json_exact", of: jsonValue(template) }];
  const fills = new Map<Marker, readonly TextPart[]>();
  collect(node, holes, fills);
  return parts.flatMap((part) => (part.kind === "text" ? [part.text] : (fills.get(part) ?? [])));
}

function namesKeys(node: JsonNode): boolean {
  if (node.kind === "list") return node.items.some(namesKeys);
  return node.kind === "map" && node.entries.some(([key, item]) => key.parts.some((part) => typeof part !== "string") || namesKeys(item));
}

function collect(node: JsonNode, holes: Holes, fills: Map<Marker, readonly TextPart[]>): void {
  switch (node.kind) {
    case "literal":
      return;
    case "hole":
      fills.set(node.marker, valueHole(node.marker, holes).fill);
      return;
    case "text":
      for (const part of node.parts) {
        if (typeof part === "string") continue;
        const hole = { fill: "json_string", of: stringHole(part, holes) } as const;
        fills.set(part, node.quoted ? [hole] : ['"', hole, '"']);
      }
      return;
    case "list":
      for (const item of node.items) collect(item, holes, fills);
      return;
    case "map":
      for (const [key, item] of node.entries) {
        collect(key, holes, fills);
        collect(item, holes, fills);
      }
  }
}

/**
 * A hole in value position, as value and as text. A string is read again as a scalar; `double_quote` only says that it is text, and
 * `json_stringify` that a scalar is text: neither escapes a second time. A template with JSON text becomes the structure that it writes.
 */
function valueHole(marker: Marker, holes: Holes): { readonly value: Expr; readonly fill: readonly TextPart[] } {
  const { lower } = holes;
  const inner = holes.template(marker);
  if (inner !== undefined) return { value: jsonValue(inner), fill: textParts(inner) };
  const last = lastFilter(marker);
  if (last === "double_quote") {
    const of: Expr = { op: "join", items: [lower(withoutLastFilter(marker), true)] };
    return { value: of, fill: [{ fill: "json_exact", of }] };
  }
  if (last === "json_stringify" || last === "tojson") {
    const of: Expr = { op: "filter", use: "json_value_of", of: lower(withoutLastFilter(marker), false), args: [] };
    return { value: of, fill: [{ fill: "json_exact", of }] };
  }
  const of = lower(marker, false);
  return { value: { op: "reread", of }, fill: [{ fill: "json_value", of }] };
}

/** A hole inside a string literal: text, which is escaped once whether or not the author asks for it. */
function stringHole(marker: Marker, { lower }: Holes): Expr {
  const last = lastFilter(marker);
  return lower(last === "json_escape" || last === "json_esc" ? withoutLastFilter(marker) : marker, true);
}

function stringText({ parts }: JsonText, holes: Holes): Expr {
  return textOf(parts.map((part) => (typeof part === "string" ? part : { fill: "text", of: stringHole(part, holes) })));
}

function keyOf(key: JsonText, holes: Holes): string | Expr {
  const text = stringText(key, holes);
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

/** Each NUL is one marker, in order. */
function nextMarker(cursor: Cursor): Marker {
  const marker = cursor.markers[cursor.used];
  cursor.used += 1;
  if (marker === undefined) throw new InternalError("a hole without a marker");
  return marker;
}
