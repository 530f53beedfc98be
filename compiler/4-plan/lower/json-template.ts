import type { Expr, TextPart } from "#runtime/plan/index.ts";
import type { JsonNode, JsonText } from "../../1-read/markers/json-grammar.ts";
import type { Marker, TemplatePart } from "../../1-read/markers/marker.ts";
import { listOf, mapOf } from "./fold.ts";
import { lastFilter, textOf, withoutLastFilter } from "./reads.ts";
import type { Scalar } from "./scalar.ts";

/** The functions that lower the markers of a JSON text. */
export interface Holes {
  /** With `embedded` the marker stands inside a string; else it gives a whole value. */
  readonly lower: (marker: Marker, embedded: boolean) => Expr;
  /** The JSON text of the template that a marker in value position names; undefined for every other marker. */
  readonly template: (marker: Marker) => JsonTemplate | undefined;
}

/** A whole JSON text: its structure, its parts as they are written, and how its markers are lowered. */
export interface JsonTemplate {
  readonly node: JsonNode;
  readonly parts: readonly TemplatePart[];
  readonly holes: Holes;
  /** The scalar that holds the text. */
  readonly scalar: Scalar;
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

/** Where a marker makes a key, an empty key drops its entry and a later duplicate wins, so the text is made from the value. */
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
 * A hole in value position, as value and as text. A string is read again as a scalar. `double_quote` only makes the value a text, and
 * `json_stringify` makes a scalar a text; neither escapes a second time. A template with JSON text becomes its structure.
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

/** A hole inside a string literal: its text is escaped exactly once, with or without a filter that escapes. */
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
