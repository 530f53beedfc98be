import { distinct, isPlainName } from "../../paths/member-edit.ts";
import { childMask, type Mask, maskOf, type NodePaths, nodePaths } from "../../paths/nodes-mask.ts";
import { nodePath } from "../../paths/path.ts";
import { isObject, type Json, type JsonObject, put } from "../../value/json.ts";
import type { MemberEdit, Transform } from "../feature.ts";

/** Stage 1. */
export const prepare = (given: readonly (string | null)[]): NodePaths => nodePaths(given.map(nodePath));

/**
 * Removes the members and elements that the paths match; the elements of arrays close up, and all paths are matched before anything is
 * removed. Plain names on an array are taken in each row. What is missing is ignored, and so is the root, which is no member.
 */
export function remove_attributes(data: Json, places: NodePaths): Json {
  return without(data, maskOf(data, places));
}

function without(node: Json, mask: Mask): Json {
  if (Array.isArray(node)) return node.flatMap((item, index) => rest(item, childMask(mask, index)));
  return isObject(node) ? withoutMembers(node, mask) : node;
}

/** What is left of an element, in a list of its own so that `flatMap` keeps an element that is a list. */
function rest(item: Json, mask: Mask | undefined): Json[] {
  if (mask === undefined) return [item];
  return mask.here ? [] : [without(item, mask)];
}

function withoutMembers(object: JsonObject, mask: Mask): JsonObject {
  const out: JsonObject = {};
  for (const key in object) {
    const inside = childMask(mask, key);
    if (inside?.here) continue;
    const value = object[key] ?? null;
    put(out, key, inside === undefined ? value : without(value, inside));
  }
  return out;
}

/** Only root members. */
function edit(names: readonly (string | null)[]): MemberEdit | undefined {
  const remove = names.every(isPlainName) ? distinct(names) : undefined;
  return remove && { remove };
}

export const spec: Transform<readonly (string | null)[], NodePaths> = {
  summary: "Remove members and elements by path, of the data or of every row of a list.",
  schema: {
    type: "array",
    items: {
      type: "string",
      context: "path",
      description: "Path of what is removed, such as `password`, `user.id` or `$.items[?@.hidden]`.",
    },
    description: "Paths of what is removed; everything else stays.",
  },
  effect: "pure",
  prepare,
  run: remove_attributes,
  edit,
};
