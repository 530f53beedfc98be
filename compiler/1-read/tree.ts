import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  type Scalar,
  type YAMLMap,
  type Document as YamlDocument,
  type Node as YamlNode,
} from "yaml";
import { type Anchors, anchors, type Built, branch, leaf } from "#runtime/formats/yaml-bounds.ts";
import type { Span } from "#runtime/plan/index.ts";
import { yaml } from "../diagnostics/codes/yaml.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { type LineTable, lineTable } from "../diagnostics/position.ts";
import type { Entry, Node } from "./document.ts";
import { isInexact } from "./inexact.ts";
import { limits } from "./syntax.ts";

/** The state while one tree is built. */
interface Building {
  readonly file: string;
  readonly text: string;
  /** The table is made when the first message needs it. */
  lines: LineTable | undefined;
  readonly report: Report;
  readonly anchors: Anchors<Node>;
  failed: boolean;
}

/**
 * Builds our tree of a parsed document: aliases and `<<` merges are resolved, keys are text, and of equal keys the first is kept. An alias
 * gives the same node object as its anchor, so that a mistake inside is reported once, where it was written. Undefined when aliases grow
 * beyond the limits.
 */
export function tree(document: YamlDocument, text: string, file: string, report: Report): Node | undefined {
  const building: Building = { file, text, lines: undefined, report, anchors: anchors<Node>(limits), failed: false };
  const { value: node } = build(document.contents, text.length, building);
  return building.failed ? undefined : node;
}

/** The tree of a document with mistakes: as far as the parser could read it. A part without any meaning is null, or left out. */
export function treeAnyhow(document: YamlDocument, text: string, file: string): Node {
  const building: Building = { file, text, lines: undefined, report: () => undefined, anchors: anchors<Node>(limits), failed: false };
  return build(document.contents, text.length, building).value;
}

function build(yamlNode: YamlNode | null, offset: number, cx: Building): Built<Node> {
  if (yamlNode === null) return leaf(nothing(span(cx, offset, offset)), 0);
  if (isAlias(yamlNode)) return expand(yamlNode.source, spanOf(yamlNode, cx), cx);
  return cx.anchors.named("anchor" in yamlNode ? yamlNode.anchor : undefined, () => content(yamlNode, cx));
}

function content(yamlNode: YamlNode, cx: Building): Built<Node> {
  const at = spanOf(yamlNode, cx);
  if (isScalar(yamlNode)) return leaf(scalar(yamlNode, at, cx), at.end - at.start);
  if (isSeq<YamlNode | null>(yamlNode)) {
    const items = yamlNode.items.map((item) => build(item, at.start, cx));
    return branch({ kind: "list", span: at, items: items.map(({ value }) => value) }, items);
  }
  return isMap<YamlNode, YamlNode | null>(yamlNode) ? map(yamlNode, at, cx) : leaf(nothing(at), 0);
}

function expand(name: string, at: Span, cx: Building): Built<Node> {
  const target = cx.anchors.expand(name);
  if (typeof target !== "string") return target;
  if (target === "unknown")
    cx.report(yaml.syntax(`alias *${name} has no anchor before it; a text that begins with * stands in quotes`), at);
  else if (target === "inside itself") cx.report(yaml.syntax(`alias *${name} is inside its own anchor`), at);
  else if (!cx.failed) cx.report(yaml.tooManyAliases(), at);
  cx.failed = true;
  return leaf(nothing(at), 0);
}

function scalar(yamlNode: Scalar, at: Span, cx: Building): Node {
  const { value, type } = yamlNode;
  const source = cx.text.slice(at.start, at.end);
  const base = { kind: "scalar", span: at, block: type === "BLOCK_LITERAL" || type === "BLOCK_FOLDED", source } as const;
  if (typeof value === "number") {
    // JSON has neither `.inf` nor `.nan`: they stay texts (spec/language 1.1).
    if (!Number.isFinite(value)) return { ...base, value: source };
    if (isInexact(source)) cx.report(yaml.inexactNumber(source), at);
    else if (/^[-+]?0\d/.test(source)) cx.report(yaml.zerosInFront(source), at);
    return { ...base, value };
  }
  if (value === null && source === "") checkComment(at, cx);
  return { ...base, value: typeof value === "string" || typeof value === "boolean" ? value : null };
}

/** Warns of a text that begins with # behind its key: `color: #fff` is null, and a comment. */
function checkComment({ start }: Span, cx: Building): void {
  const [text] = /^#[^\s#](?:[^\n#]*[^\s#])?/.exec(cx.text.slice(start, start + 200)) ?? [];
  if (text !== undefined) cx.report(yaml.comment(text), span(cx, start, start + text.length));
}

function map(yamlNode: YAMLMap<YamlNode, YamlNode | null>, at: Span, cx: Building): Built<Node> {
  const entries: Entry[] = [];
  const children: Built<Node>[] = [];
  const seen = new Map<string, Span>();
  let merge: Merge | undefined;
  for (const pair of yamlNode.items) {
    const key = keyOf(pair, cx);
    if (key === undefined) continue;
    const value = build(pair.value, key.span.end, cx);
    const first = seen.get(key.text);
    if (first !== undefined) {
      cx.lines ??= lineTable(cx.text);
      const place = cx.lines.at(first.start);
      cx.report(yaml.duplicateKey(key.text, place.line, place.column), key.span, [{ at: first, message: "the first one is here" }]);
      continue;
    }
    seen.set(key.text, key.span);
    children.push(value);
    if (key.merge) merge = { index: entries.length, entries: mergedEntries(value.value, cx) };
    else entries.push({ key: key.text, keySpan: key.span, value: value.value });
  }
  return branch({ kind: "map", span: at, entries: withMerge(entries, merge) }, children);
}

/** The nodes that a `<<` merges, and where it stands. */
interface Merge {
  readonly index: number;
  readonly entries: readonly Entry[];
}

/** Keys of the map itself win over merged ones. */
function withMerge(entries: readonly Entry[], merge: Merge | undefined): readonly Entry[] {
  if (merge === undefined) return entries;
  const own = new Set(entries.map(({ key }) => key));
  return [...entries.slice(0, merge.index), ...merge.entries.filter(({ key }) => !own.has(key)), ...entries.slice(merge.index)];
}

/** Entries of a merged map, or of a list of maps where the first that has a key wins. */
function mergedEntries(node: Node, cx: Building): readonly Entry[] {
  const maps = node.kind === "list" ? node.items : [node];
  const entries = new Map<string, Entry>();
  for (const map of maps) {
    if (map.kind !== "map") {
      if (!cx.failed) cx.report(yaml.syntax("<< takes a mapping or a list of mappings"), map.span);
      continue;
    }
    for (const entry of map.entries) if (!entries.has(entry.key)) entries.set(entry.key, entry);
  }
  return [...entries.values()];
}

interface Key {
  readonly text: string;
  readonly span: Span;
  readonly merge: boolean;
}

function keyOf({ key }: Pair<YamlNode, YamlNode | null>, cx: Building): Key | undefined {
  const { value: node } = build(key, 0, cx);
  const at = spanOf(key, cx);
  if (node.kind !== "scalar") {
    cx.report(yaml.syntax("a key must be a scalar; put text that starts with { or [ in quotes"), at);
    cx.failed = true;
    return undefined;
  }
  return {
    text: node.value === null ? "" : String(node.value),
    span: at,
    merge: isScalar(key) && key.type === "PLAIN" && key.value === "<<",
  };
}

const nothing = (at: Span): Node => ({ kind: "scalar", span: at, value: null, block: false, source: "" });

function spanOf(node: YamlNode, cx: Building): Span {
  const [start, end] = node.range ?? [0, 0];
  // The range of a block collection runs to the start of the next line, so blanks at its end are cut off.
  return span(cx, start, isScalar(node) || isAlias(node) ? end : start + cx.text.slice(start, end).trimEnd().length);
}

const span = ({ file }: Building, start: number, end: number): Span => ({ file, start, end });
