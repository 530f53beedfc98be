import type { Span } from "#runtime/plan/index.ts";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { put } from "#runtime/value/json.ts";

/** A configuration file as it was written: values with their places, aliases and merges resolved, no meaning yet. */
export interface Document {
  /** The path relative to the project root, with forward slashes. */
  readonly file: string;
  readonly text: string;
  readonly root: Node;
}

export type Node = ScalarNode | ListNode | MapNode;

export interface ScalarNode {
  readonly kind: "scalar";
  readonly span: Span;
  readonly value: string | number | boolean | null;
  /** `|` or `>`: the value of a block scalar keeps its line ends. */
  readonly block: boolean;
  /** The text as written, with quotes and indentation: the exact places of markers are looked up in it. */
  readonly source: string;
}

export interface ListNode {
  readonly kind: "list";
  readonly span: Span;
  readonly items: readonly Node[];
}

export interface MapNode {
  readonly kind: "map";
  readonly span: Span;
  readonly entries: readonly Entry[];
}

/** Keys are text, whatever the YAML type (spec/language 1.1). */
export interface Entry {
  readonly key: string;
  readonly keySpan: Span;
  readonly value: Node;
}

/** The entry of a map, if the node is a map and has the key. */
export function entry(node: Node | undefined, key: string): Entry | undefined {
  if (node?.kind !== "map") return undefined;
  if (node.entries.length < many) return node.entries.find((e) => e.key === key);
  const index = indexes.get(node) ?? new Map(node.entries.toReversed().map((one) => [one.key, one]));
  indexes.set(node, index);
  return index.get(key);
}

/** A map with at least this number of entries gets an index, because each of its keys may be looked up many times. */
const many = 32;

/** The first entry of each key. */
const indexes = new WeakMap<MapNode, ReadonlyMap<string, Entry>>();

/** The value under a key; a null value counts as absent (spec/language 1.3). */
export function get(node: Node | undefined, key: string): Node | undefined {
  const value = entry(node, key)?.value;
  return value !== undefined && isNull(value) ? undefined : value;
}

/** True for null, which is also the value of a key with nothing behind it. */
export const isNull = (node: Node): boolean => node.kind === "scalar" && node.value === null;

/** Items of a list; none for anything else. */
export function items(node: Node | undefined): readonly Node[] {
  return node?.kind === "list" ? node.items : [];
}

/** Entries of a map; none for anything else. */
export function entriesOf(node: Node | undefined): readonly Entry[] {
  return node?.kind === "map" ? node.entries : [];
}

export function textOf(node: Node | undefined): string | undefined {
  return node?.kind === "scalar" && typeof node.value === "string" ? node.value : undefined;
}

/** A scalar as text, also when YAML read it as a number or boolean. */
export function scalarText(node: Node | undefined): string | undefined {
  return node?.kind === "scalar" && node.value !== null ? String(node.value) : undefined;
}

export function numberOf(node: Node | undefined): number | undefined {
  return node?.kind === "scalar" && typeof node.value === "number" ? node.value : undefined;
}

export function flag(node: Node | undefined, key: string): boolean {
  const value = get(node, key);
  return value?.kind === "scalar" && value.value === true;
}

/** The plain value, without places. */
export function plain(node: Node): Json {
  switch (node.kind) {
    case "scalar":
      return node.value;
    case "list":
      return node.items.map(plain);
    case "map": {
      const out: JsonObject = {};
      for (const { key, value } of node.entries) put(out, key, plain(value));
      return out;
    }
  }
}
