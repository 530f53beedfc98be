import { type Entry, entry, type Node } from "../1-read/document.ts";

// The node with other entries in the place of one. These small changes of a tree give a new tree.

export function replace(node: Node, old: Entry, by: readonly Entry[]): Node {
  if (node.kind !== "map") return node;
  return { ...node, entries: node.entries.flatMap((one) => (one === old ? by : [one])) };
}

/** The map with another value behind the key, if it has the key. */
export function change(node: Node, key: string, to: (value: Node) => Node): Node {
  const member = entry(node, key);
  if (member === undefined) return node;
  const value = to(member.value);
  return value === member.value ? node : replace(node, member, [{ ...member, value }]);
}

/** The node with every item of a list, or every value of a map, changed. */
export function each(node: Node, to: (value: Node) => Node): Node {
  if (node.kind === "list") return { ...node, items: node.items.map(to) };
  if (node.kind === "map") return { ...node, entries: node.entries.map((one) => ({ ...one, value: to(one.value) })) };
  return node;
}
