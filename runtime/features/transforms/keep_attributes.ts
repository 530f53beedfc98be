import { distinct, isPlainName } from "../../paths/member-edit.ts";
import { every, type Key } from "../../paths/nodes.ts";
import { childMask, type Mask, maskWorkOf, type NodePaths, nodePaths } from "../../paths/nodes-mask.ts";
import { nodePath, stepsIn } from "../../paths/path.ts";
import { placesOf, whenKnown } from "../../shapes/arguments.ts";
import { containersOf, eitherMember, memberAt, optional, orElse } from "../../shapes/edit.ts";
import {
  absent,
  alternatives,
  anyArray,
  anyObject,
  array,
  byType,
  type Member,
  never,
  type ObjectShape,
  object,
  type Shape,
  union,
} from "../../shapes/shape.ts";
import { inSlices, type Work, type WorkOwner } from "../../threads/slices.ts";
import { isObject, type Json, type JsonObject, put } from "../../value/json.ts";
import type { MemberEdit, Transform } from "../feature.ts";

interface Selection {
  readonly places: NodePaths;
  /** True when a path goes through each element of a list: the elements are rows then, and no row is dropped. */
  readonly rows: boolean;
}

/** Stage 1 parses the paths. */
export function prepare(texts: readonly (string | null)[]): Selection {
  const paths = texts.map(nodePath);
  return { places: nodePaths(paths), rows: paths.some((path) => stepsIn([], path)[0] === every) };
}

/**
 * Keeps what the paths match, with its ancestors, in its order; drops the rest, and the elements of arrays close up. Plain names on an
 * array are taken in each row. A row is never lost: one without any of the members stays as `{}`. Without any match the result is `{}` or
 * `[]`.
 */
export function keep_attributes(data: Json, selection: Selection, act: WorkOwner): Json | Promise<Json> {
  const { inObjects } = selection.places;
  // Members of one object, the usual case, need no slices.
  if (inObjects?.whole !== undefined && !inObjects.here && isObject(data)) return picked(data, inObjects.whole) ?? {};
  return inSlices(keptOf(data, selection), act);
}

function* keptOf(data: Json, { places, rows }: Selection): Work<Json> {
  const mask = yield* maskWorkOf(data, places);
  const done = { count: 0 };
  if (!rows || !Array.isArray(data) || mask.here) return (yield* kept(data, mask, done)) ?? emptied(data);
  return (yield* keptElements(data, mask, done, true)) ?? [];
}

/** Nodes that are looked at in about a millisecond. */
const nodesOfSlice = 500;

/** The part of a node that is kept; undefined when nothing of it is. */
function* kept(node: Json, mask: Mask | undefined, done: { count: number }): Work<Json | undefined> {
  if (mask === undefined) return undefined;
  if (mask.here) return node;
  if (Array.isArray(node)) return yield* keptElements(node, mask, done, false);
  if (!isObject(node)) return undefined;
  return mask.whole === undefined ? yield* keptMembers(node, mask, done) : picked(node, mask.whole);
}

/** With `rows`, an element without any part stays as an empty one. */
function* keptElements(list: readonly Json[], mask: Mask, done: { count: number }, rows: boolean): Work<Json[] | undefined> {
  const out: Json[] = [];
  for (let i = 0; i < list.length; i++) {
    const item = list[i] ?? null;
    const inside = childMask(mask, i);
    const part =
      inside?.whole !== undefined && !inside.here && isObject(item) ? picked(item, inside.whole) : yield* kept(item, inside, done);
    if (part !== undefined) out.push(part);
    else if (rows) out.push(emptied(item));
    if (++done.count % nodesOfSlice === 0) yield;
  }
  return out.length > 0 ? out : undefined;
}

function* keptMembers(object: JsonObject, mask: Mask, done: { count: number }): Work<JsonObject | undefined> {
  let out: JsonObject | undefined;
  for (const key in object) {
    const part = yield* kept(object[key] ?? null, childMask(mask, key), done);
    if (++done.count % nodesOfSlice === 0) yield;
    if (part === undefined) continue;
    out ??= {};
    put(out, key, part);
  }
  return out;
}

function picked(object: JsonObject, names: ReadonlySet<Key>): JsonObject | undefined {
  const out: JsonObject = {};
  let isEmpty = true;
  for (const key in object) {
    if (!names.has(key)) continue;
    put(out, key, object[key] ?? null);
    isEmpty = false;
  }
  return isEmpty ? undefined : out;
}

const emptied = (node: Json): Json => (Array.isArray(node) ? [] : {});

/** The edit of root members; undefined when a path leads deeper. */
function edit(names: readonly (string | null)[]): MemberEdit | undefined {
  const keep = names.every(isPlainName) ? distinct(names) : undefined;
  return keep && { keep };
}

function keptShape(data: Shape, { places, rows }: Selection): Shape {
  return byType(containersOf(data), (one) => {
    const mask = one.type === "array" ? places.inLists : places.inObjects;
    if (mask === undefined) return one.type === "array" ? anyArray : anyObject;
    if (one.type === "array" && rows && !mask.here) return array(keptItems(one.items, mask, true));
    return orElse(keptPart(one, mask), emptiedShape(one));
  });
}

/** The part of a value that is kept; it may be missing. */
function keptPart(value: Shape, mask: Mask | undefined): Member {
  if (mask === undefined) return absent;
  if (mask.here) return { shape: value };
  const parts = alternatives(value).map((one): Member => {
    if (one.type === "array") return { shape: array(keptItems(one.items, mask, false)), optional: true };
    return one.type === "object" ? keptMembersShape(one, mask) : absent;
  });
  return parts.reduce(eitherMember, { shape: never });
}

function keptItems(items: Shape, { below, rest }: Mask, rows: boolean): Shape {
  const masks = [...below].flatMap(([key, mask]) => (typeof key === "number" ? [mask] : []));
  // The shape cannot say which element it is, so each of them may be any of these.
  const parts = [...masks, rest].map((mask) => keptPart(items, mask));
  return union(...parts.map((part) => (rows ? orElse(part, emptiedShape(items)) : part.shape)));
}

function keptMembersShape(row: ObjectShape, { below, rest }: Mask): Member {
  const names = new Set([...row.members.keys(), ...[...below.keys()].filter((key) => typeof key === "string")]);
  const members = [...names].map((name): [string, Member] => {
    const member = memberAt(row, name);
    const part = keptPart(member.shape, below.get(name) ?? rest);
    return [name, member.optional === true ? optional(part) : part];
  });
  const isSome = members.some(([, part]) => part.optional !== true);
  const shape = object(new Map(members), row.rest === undefined ? undefined : keptPart(row.rest, rest).shape);
  return isSome ? { shape } : { shape, optional: true };
}

const emptiedShape = (value: Shape): Shape => byType(value, ({ type }) => (type === "array" ? array(never) : object({})));

export const spec: Transform<readonly (string | null)[], Selection> = {
  summary: "Keep only the named members, of the data or of every row of a list.",
  schema: {
    type: "array",
    items: { type: "string", context: "path", description: "Path of what stays, such as `id`, `address.city` or `$.items[*].name`." },
    description: "Paths of what stays; everything else is dropped.",
  },
  effect: "pure",
  chooses: "kept",
  async: true,
  prepare,
  run: keep_attributes,
  shape: (data, args) => whenKnown(args, prepare, (wanted) => keptShape(data, wanted)),
  expects: placesOf,
  edit,
};
