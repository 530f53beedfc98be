import { distinct, isPlainName } from "../../paths/member-edit.ts";
import { every, type Key, type PathStep } from "../../paths/nodes.ts";
import { childMask, type Mask, maskWorkOf, type NodePaths, nodePaths } from "../../paths/nodes-mask.ts";
import { type NodePath, nodePath } from "../../paths/path.ts";
import { placesOf, whenKnown } from "../../shapes/arguments.ts";
import { containersOf, optional, withMembers, withoutMembers as withoutNamed } from "../../shapes/edit.ts";
import { changedBelow, stepsFor } from "../../shapes/place.ts";
import { type Alternative, anyArray, anyObject, array, byType, never, object, type Shape } from "../../shapes/shape.ts";
import { inSlices, type Work, type WorkOwner } from "../../threads/slices.ts";
import { isObject, type Json, type JsonObject, put } from "../../value/json.ts";
import type { MemberEdit, Transform } from "../feature.ts";

/** Stage 1 parses the paths. */
export const prepare = (texts: readonly (string | null)[]): NodePaths => nodePaths(texts.map(nodePath));

/**
 * Removes the members and elements that the paths match; the elements of arrays close up, and all paths are matched before anything is
 * removed. Plain names on an array are taken in each row. Missing members are ignored, and so is the root, which is no member.
 */
export function remove_attributes(data: Json, places: NodePaths, act: WorkOwner): Json | Promise<Json> {
  return inSlices(removed(data, places), act);
}

function* removed(data: Json, places: NodePaths): Work<Json> {
  return yield* without(data, yield* maskWorkOf(data, places), { count: 0 });
}

/** Nodes that are copied in about a millisecond. */
const nodesOfSlice = 500;

function* without(node: Json, mask: Mask, done: { count: number }): Work<Json> {
  if (isObject(node)) return mask.whole === undefined ? yield* withoutMembers(node, mask, done) : withoutNames(node, mask.whole);
  if (!Array.isArray(node)) return node;
  const out: Json[] = [];
  for (let i = 0; i < node.length; i++) {
    const item = node[i] ?? null;
    const inside = childMask(mask, i);
    if (inside === undefined) out.push(item);
    else if (!inside.here)
      out.push(inside.whole !== undefined && isObject(item) ? withoutNames(item, inside.whole) : yield* without(item, inside, done));
    if (++done.count % nodesOfSlice === 0) yield;
  }
  return out;
}

function* withoutMembers(object: JsonObject, mask: Mask, done: { count: number }): Work<JsonObject> {
  const out: JsonObject = {};
  for (const key in object) {
    const inside = childMask(mask, key);
    if (inside?.here) continue;
    const value = object[key] ?? null;
    put(out, key, inside === undefined ? value : yield* without(value, inside, done));
    if (++done.count % nodesOfSlice === 0) yield;
  }
  return out;
}

function withoutNames(object: JsonObject, names: ReadonlySet<Key>): JsonObject {
  const out: JsonObject = {};
  for (const key in object) if (!names.has(key)) put(out, key, object[key] ?? null);
  return out;
}

/** Only root members. */
function edit(names: readonly (string | null)[]): MemberEdit | undefined {
  const remove = names.every(isPlainName) ? distinct(names) : undefined;
  return remove && { remove };
}

function withoutPath(data: Shape, path: NodePath): Shape {
  return byType(data, (one) => {
    const steps = stepsFor(one, path);
    const last = steps.at(-1);
    if (last === undefined) return one;
    const give = (parent: Shape): Shape => byType(parent, (each) => withoutStep(each, last));
    return changedBelow(one, steps.slice(0, -1), { rooted: path.rooted, must: false, give });
  });
}

/** The shape of a list stays the same whichever elements are removed, unless all are. */
function withoutStep(shape: Alternative, step: PathStep): Shape {
  const isDeep = typeof step === "object" && step.descend;
  if (shape.type === "array") return step === every ? array(never) : isDeep ? anyArray : shape;
  if (shape.type !== "object" || typeof step === "number") return shape;
  if (step === every) return object({});
  if (typeof step === "string") return withoutNamed(shape, [step]);
  return isDeep
    ? anyObject
    : withMembers(
        shape,
        [...shape.members].map(([name, member]) => [name, optional(member)] as const),
      );
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
  chooses: "removed",
  async: true,
  prepare,
  run: remove_attributes,
  shape: (data, args) => whenKnown(args, prepare, ({ paths }) => paths.reduce(withoutPath, containersOf(data))),
  expects: placesOf,
  edit,
};
