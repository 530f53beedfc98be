import { get, type Node } from "../1-read/document.ts";
import { holdsMarker } from "./validator.ts";

// Fields that are read when the process starts: the facts about their values that the compiler knows before.

/** A value of the configuration that is known only when the process starts: it holds a marker, or something in it does. */
export function isStarted(node: Node | undefined): boolean {
  if (node === undefined) return false;
  if (node.kind === "scalar") return typeof node.value === "string" && holdsMarker(node.value);
  return node.kind === "list" ? node.items.some(isStarted) : node.entries.some(({ value }) => isStarted(value));
}

/** True when the flag is on, or may be on when the process starts. */
export function mayBeOn(node: Node | undefined, key: string): boolean {
  const value = get(node, key);
  return value?.kind === "scalar" && (value.value === true || isStarted(value));
}
