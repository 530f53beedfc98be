import { isPlainName, renaming } from "../../paths/member-edit.ts";
import { lastName } from "../../paths/nodes.ts";
import { childMask, container, type Mask, maskWorkOf, type NodePaths, nodePaths } from "../../paths/nodes-mask.ts";
import { nodePath } from "../../paths/path.ts";
import { bad } from "../../paths/path-syntax.ts";
import { placesOf, whenKnown } from "../../shapes/arguments.ts";
import { containersOf, memberAt, memberElse, withMembers } from "../../shapes/edit.ts";
import { changedBelow, stepsFor } from "../../shapes/place.ts";
import { absent, anyArray, anyObject, byType, type ObjectShape, type Shape } from "../../shapes/shape.ts";
import { inSlices, type Work, type WorkOwner } from "../../threads/slices.ts";
import { isObject, type Json, type JsonObject, put } from "../../value/json.ts";
import { membersOf, type Ordered } from "../../value/ordered.ts";
import type { MemberEdit, Transform } from "../feature.ts";

/** Paths of members and their new names. Null, from an unset marker, renames nothing. */
type Names = Ordered<Json>;

interface Renaming {
  readonly places: NodePaths;
  readonly from: string;
  readonly to: string;
}

/** Stage 1: a path that does not end in the name of a member is PW511. */
export function prepare(names: Names): readonly Renaming[] {
  return membersOf(names).flatMap(([text, to]) => {
    const path = nodePath(text);
    const from = lastName(path.steps);
    if (from === undefined) throw bad(text, "it does not end in the name of a member", "PW511");
    return typeof to === "string" ? [{ places: nodePaths([path]), from, to: to.replace(/^\$?\./, "") }] : [];
  });
}

/**
 * Renames the members that the paths match, in the order written; a member keeps its place and replaces one that has the new name already.
 * A plain name on an array is taken in each row. Missing members are ignored. A new name is literal, but for a leading `$.` or `.`.
 */
export function rename_attributes(data: Json, renamings: readonly Renaming[], act: WorkOwner): Json | Promise<Json> {
  return inSlices(renamedBy(data, renamings), act);
}

function* renamedBy(data: Json, renamings: readonly Renaming[]): Work<Json> {
  let out: Json = container(data);
  for (const renaming of renamings) out = yield* renamed(out, yield* maskWorkOf(out, renaming.places), renaming, { count: 0 });
  return out;
}

/** Nodes that are copied in about a millisecond. */
const nodesOfSlice = 500;

function* renamed(node: Json, mask: Mask, names: Renaming, done: { count: number }): Work<Json> {
  if (isObject(node)) return mask.whole === undefined ? yield* renamedBelow(node, mask, names, done) : renamedMembers(node, mask, names);
  if (!Array.isArray(node)) return node;
  const out: Json[] = [];
  for (let i = 0; i < node.length; i++) {
    const item = node[i] ?? null;
    const inside = childMask(mask, i);
    if (inside === undefined) out.push(item);
    else
      out.push(
        inside.whole !== undefined && isObject(item) ? renamedMembers(item, inside, names) : yield* renamed(item, inside, names, done),
      );
    if (++done.count % nodesOfSlice === 0) yield;
  }
  return out;
}

/** The members of the object, in each of which there may be others to be renamed. */
function* renamedBelow(object: JsonObject, mask: Mask, names: Renaming, done: { count: number }): Work<Json> {
  const out: JsonObject = {};
  for (const key in object) {
    const inside = childMask(mask, key);
    const value = object[key] ?? null;
    put(out, key, inside === undefined ? value : yield* renamed(value, inside, names, done));
    if (++done.count % nodesOfSlice === 0) yield;
  }
  return renamedMembers(out, mask, names);
}

function renamedMembers(object: JsonObject, mask: Mask, names: Renaming): JsonObject {
  const { from, to } = names;
  const renames = from !== to && mask.below.get(from)?.here === true && Object.hasOwn(object, from);
  const out: JsonObject = {};
  for (const key in object) {
    if (renames && key === to) continue;
    put(out, renames && key === from ? to : key, object[key] ?? null);
  }
  return out;
}

/** Only root members, each named once: then the order of renaming does not matter. */
function edit(names: Names): MemberEdit | undefined {
  const pairs = membersOf(names);
  const rename = pairs.flat().every(isPlainName) ? renaming(pairs) : undefined;
  return rename && { rename };
}

function renamedShape(data: Shape, { places, from, to }: Renaming): Shape {
  const [path] = places.paths;
  if (path === undefined) return data;
  return byType(data, (one) => {
    const steps = stepsFor(one, path);
    const last = steps.at(-1);
    if (typeof last === "object" && last.descend) return one.type === "object" ? anyObject : anyArray;
    const give = (parent: Shape): Shape => byType(parent, (each) => (each.type === "object" ? renamedMember(each, from, to) : each));
    return changedBelow(one, steps.slice(0, -1), { rooted: path.rooted, must: false, give });
  });
}

function renamedMember(row: ObjectShape, from: string, to: string): Shape {
  const old = memberAt(row, from);
  return from === to
    ? row
    : withMembers(row, [
        [from, absent],
        [to, memberElse(old, memberAt(row, to))],
      ]);
}

export const spec: Transform<Names, readonly Renaming[]> = {
  summary: "Rename members by path, of the data or of every row of a list.",
  schema: {
    type: "object",
    keys: "path",
    ordered: true,
    additionalProperties: { type: "string", description: "The new name." },
    description: "Path of a member, such as `name`, `user.id` or `$[*].name`, to its new name.",
  },
  effect: "pure",
  async: true,
  prepare,
  run: rename_attributes,
  shape: (data, args) => whenKnown(args, prepare, (renamings) => renamings.reduce(renamedShape, containersOf(data))),
  expects: (names) => placesOf(membersOf(names).map(([path]) => path)),
  edit,
};
