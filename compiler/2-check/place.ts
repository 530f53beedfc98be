import type { JsonSchema } from "#runtime/features/feature.ts";
import { type Entry, entry, type Node } from "../1-read/document.ts";
import { meant, member } from "./forms.ts";
import type { Around } from "./guess.ts";
import type { Language } from "./schema.ts";

/** The place of an error: the node, the entry or list that holds it, and the name that messages use. */
export interface ErrorPlace {
  readonly pointer: string;
  readonly node: Node;
  readonly entry: Entry | undefined;
  /** The last key of the path to the node, with the index of a list item. */
  readonly name: string;
  /** The last key of the path to the node, without an index. */
  readonly key: string;
  /** Schema of the record or list that holds the node. */
  readonly parent: JsonSchema;
  readonly parentNode: Node;
  readonly parentPointer: string;
  readonly parentKey: string;
  /** The records around the node, the innermost first. */
  readonly around: readonly Around[];
  readonly inTransform: boolean;
}

/** The place that a JSON Pointer of an error names. */
export function placeOf(pointer: string, root: Node, { root: config, definitions }: Language): ErrorPlace {
  let place: ErrorPlace = {
    pointer: "",
    node: root,
    entry: undefined,
    name: "configuration",
    key: "configuration",
    parent: {},
    parentNode: root,
    parentPointer: "",
    parentKey: "configuration",
    around: [],
    inTransform: false,
  };
  let schema = config;
  for (const segment of pointer.split("/").slice(1)) {
    const form = meant(schema, place.node, definitions);
    const key = segment.replaceAll("~1", "/").replaceAll("~0", "~");
    const entry = entryOf(place.node, key);
    const item = place.node.kind === "list" ? place.node.items[Number(key)] : entry?.value;
    const isItem = place.node.kind === "list";
    place = {
      pointer: `${place.pointer}/${segment}`,
      node: item ?? place.node,
      entry,
      name: isItem ? `${place.name}[${key}]` : key,
      key: isItem ? place.key : key,
      parent: form,
      parentNode: place.node,
      parentPointer: place.pointer,
      parentKey: place.key,
      around: form.properties === undefined ? place.around : [{ schema: form, key }, ...place.around],
      inTransform: place.inTransform || form.title === "Transform",
    };
    schema = isItem ? (form.items ?? {}) : member(form, key);
  }
  return place;
}

/** The entry of a record with this key. */
export const entryOf = (node: Node, key: string): Entry | undefined => entry(node, key);

/** A key as a segment of a JSON Pointer. */
export const escaped = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");
