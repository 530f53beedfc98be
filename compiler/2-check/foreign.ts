import { entriesOf, get, type Node } from "../1-read/document.ts";
import { nearest } from "../diagnostics/nearest.ts";
import { fileKeys } from "../other-tools/files.ts";
import { hasInterfaces } from "./modules.ts";

/** True for a document that has a key of a configuration, even a misspelt one. */
export function looksLikeConfig(root: Node): boolean {
  const keys = entriesOf(root).map(({ key }) => key);
  return hasInterfaces(root) || keys.some((key) => key === "name" || nearest(key, ["interfaces"]) !== undefined);
}

/**
 * True for a document in a searched folder that belongs to another tool: it has none of our keys, or a key that only another tool has. A
 * module in the wrong folder is not such a document, but a mistake.
 */
export function isForeign(root: Node): boolean {
  if (hasInterfaces(root) || get(root, "type") !== undefined) return false;
  return !looksLikeConfig(root) || entriesOf(root).some(({ key }) => fileKeys.has(key));
}
