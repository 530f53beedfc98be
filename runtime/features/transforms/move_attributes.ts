import { every, indexOf, isDigits, isKey, isSegment, isWild, type Key, lastName, type PathStep, valueBelow } from "../../paths/nodes.ts";
import { container } from "../../paths/nodes-mask.ts";
import { keysTo, type Match, wildKeysTo } from "../../paths/nodes-walk.ts";
import { matchesWork, type NodePath, nodePath, type Path, stepsIn } from "../../paths/path.ts";
import { bad } from "../../paths/path-syntax.ts";
import { placesOf, whenKnown } from "../../shapes/arguments.ts";
import { containersOf, withoutMembers } from "../../shapes/edit.ts";
import { changedBelow, stepsFor, valueIn, writtenAt } from "../../shapes/place.ts";
import { anyArray, anyObject, array, byType, isNever, never, type Shape, union } from "../../shapes/shape.ts";
import { inSlices, type Work, type WorkOwner } from "../../threads/slices.ts";
import { Failure } from "../../value/failure.ts";
import { isObject, type Json, type JsonObject, own, put, typeOf } from "../../value/json.ts";
import { membersOf, type Ordered } from "../../value/ordered.ts";
import type { Transform } from "../feature.ts";

/** Paths of members and of the places where these go. */
type Moves = Ordered<string | null>;

/** A place to put a member: `[*]` stands for the key that a wildcard of the source has taken. No steps: the root, under the old name. */
type Destination = Path<Key | typeof every>;

interface Move {
  readonly source: NodePath;
  readonly destination: Destination;
}

/** Stage 1: PW511 for a source that does not end in a name, and for a destination that its source cannot fill. */
export function prepare(moves: Moves): readonly Move[] {
  return membersOf(moves).map(([from, to]) => {
    const source = nodePath(from);
    if (lastName(source.steps) === undefined) throw bad(from, "it does not end in the name of a member", "PW511");
    return { source, destination: destinationOf(to, source) };
  });
}

function destinationOf(text: string | null, source: NodePath): Destination {
  const path = nodePath(text);
  const steps = path.steps.filter((step): step is Key | typeof every => !isSegment(step));
  if (steps.length < path.steps.length) throw bad(path.text, "a destination is made of names, indexes and [*]", "PW511");
  if (steps.filter(isWild).length > source.steps.filter(isWild).length)
    throw bad(path.text, `it has more wildcards than its source '${source.text}'`, "PW511");
  return { ...path, steps };
}

/**
 * Moves the members that the paths match, in the order written: each is taken out, then put at its destination, where it replaces what is
 * there. Missing parents become objects, so does null; anything else in the way fails. Parents stay when nothing is left in them. Missing
 * members are ignored. A destination without `$` is in the row, when the data is an array.
 */
export function move_attributes(data: Json, moves: readonly Move[], act: WorkOwner): Json | Promise<Json> {
  return inSlices(movedAll(data, moves), act);
}

function* movedAll(data: Json, moves: readonly Move[]): Work<Json> {
  let out: Json = container(data);
  for (const move of moves) out = yield* moved(out, move);
  return out;
}

/** Matches that are moved in about a millisecond. */
const matchesOfSlice = 500;

function* moved(data: Json, { source, destination }: Move): Work<Json> {
  const edit: Edit = { copies: new Set(), destination };
  let out = data;
  for (const [i, match] of (yield* matchesWork(data, source)).entries()) {
    if ((i + 1) % matchesOfSlice === 0) yield;
    const from = keysTo(match);
    const value = valueBelow(out, from, true);
    // A path with digits may have matched an element, and an earlier match may have contained this one.
    if (typeof match.key !== "string" || value === undefined) continue;
    out = edited(out, from.slice(0, -1), (parent) => without(parent, match.key, edit), edit);
    out = edited(out, keysFor(match, destination, data), () => value, edit);
  }
  return out;
}

/** The keys of the place where a match goes. */
function keysFor(match: Match, destination: Destination, data: Json): readonly Key[] {
  const row = Array.isArray(data) ? keysTo(match).slice(0, 1) : [];
  if (destination.steps.length === 0) return [...row, match.key];
  if (stepsIn(data, destination).length > destination.steps.length) return [...row, ...destination.steps.filter(isKey)];
  const keys = wildKeysTo(match).values();
  return destination.steps.map((step) => (step === every ? (keys.next().value ?? 0) : step));
}

/** The state of one move. */
interface Edit {
  /** Containers that are copies already: nothing else refers to them, so they are changed in place. */
  readonly copies: Set<Json>;
  readonly destination: Destination;
}

/** The node, which may be missing, where the value at the given keys is replaced by the result of `change`. */
function edited(node: Json | undefined, keys: readonly Key[], change: (value: Json) => Json, edit: Edit): Json {
  const [key, ...rest] = keys;
  if (key === undefined) return change(node ?? null);
  const { copies, destination } = edit;
  const index = Array.isArray(node) ? indexOf(node, key, destination.rooted) : undefined;
  if (Array.isArray(node) && index !== undefined) {
    const list = copies.has(node) ? node : [...node];
    copies.add(list);
    list[index] = edited(list[index], rest, change, edit);
    return list;
  }
  if ((isObject(node) || node === null || node === undefined) && typeof key === "string") {
    const object = isObject(node) && copies.has(node) ? node : { ...node };
    copies.add(object);
    put(object, key, edited(own(object, key), rest, change, edit));
    return object;
  }
  throw new Failure(
    "transform",
    `cannot move to "${destination.text}": ${node === undefined ? "the list is missing" : `${typeOf(node)} in the way`}`,
  );
}

function without(node: Json, key: Key, { copies }: Edit): Json {
  const out: JsonObject = {};
  if (isObject(node)) for (const name in node) if (name !== key) put(out, name, node[name] ?? null);
  copies.add(out);
  return out;
}

function movedShape(data: Shape, { source, destination }: Move): Shape {
  return byType(data, (one) => {
    const [from, to] = [stepsFor(one, source), destination.steps.length === 0 ? [] : stepsFor(one, destination)];
    const isList = one.type === "array";
    const names = namesIn(isList && from[0] === every ? from.slice(1) : from);
    const isRow = isList && from[0] === every && (to[0] === every || destination.steps.length === 0);
    const place = namesIn(isRow ? to.slice(1) : to);
    if (names === undefined || place === undefined || isRow !== isList) return isList ? anyArray : anyObject;
    const target = place.length === 0 ? names.slice(-1) : place;
    return isList ? array(movedMember(one.items, names, target)) : movedMember(one, names, target);
  });
}

/** The steps, if each is a name that cannot be an index of a list. */
function namesIn(steps: readonly PathStep[]): readonly string[] | undefined {
  const names = steps.filter((step) => typeof step === "string").filter((name) => !isDigits(name));
  return names.length === steps.length ? names : undefined;
}

function movedMember(row: Shape, from: readonly string[], to: readonly string[]): Shape {
  const { shape: value, optional } = valueIn(row, from, true);
  const give = (parent: Shape): Shape => byType(parent, (one) => (one.type === "object" ? withoutMembers(one, from.slice(-1)) : one));
  const rest = changedBelow(row, from.slice(0, -1), { rooted: true, must: false, give });
  const moved = isNever(value) ? never : writtenAt(rest, to, value);
  return optional === true ? union(rest, moved) : moved;
}

export const spec: Transform<Moves, readonly Move[]> = {
  summary: "Move members by path, within the data or within every row of a list.",
  schema: {
    type: "object",
    keys: "path",
    ordered: true,
    additionalProperties: {
      type: "string",
      context: "path",
      description: "Where it goes: a path; `$.` is the root (or the row), under the old name.",
    },
    description: "Path of a member to the path where it goes, such as `user.name: name` or `$[*].a.x: $[*].b.x`.",
  },
  effect: "pure",
  async: true,
  prepare,
  run: move_attributes,
  shape: (data, args) => whenKnown(args, prepare, (moves) => moves.reduce(movedShape, containersOf(data))),
  expects: (moves) => placesOf(membersOf(moves).map(([path]) => path)),
};
