import { every, isDigits, isSegment, type Key, type PathStep, type Selector } from "../paths/nodes.ts";
import { type NodePath, stepsIn } from "../paths/path.ts";
import { optional as optionalMember, withMember, withMembers } from "./edit.ts";
import {
  type Alternative,
  absent,
  alternatives,
  any,
  anyArray,
  anyObject,
  array,
  byType,
  type Member,
  memberOf,
  never,
  type ObjectShape,
  object,
  type Shape,
  union,
} from "./shape.ts";

// Shapes at the places of a path, and of a value in which these places have other values.

/** The value that some keys lead to, one below the other. */
export function valueIn(data: Shape, keys: readonly Key[], rooted: boolean): Member {
  const [key, ...more] = keys;
  if (key === undefined) return { shape: data };
  const children = alternatives(data).map((one) => childIn(one, key, rooted));
  const below = valueIn(union(...children.map(({ shape }) => shape)), more, rooted);
  return children.some(({ optional }) => optional === true) ? optionalMember(below) : below;
}

/** The child that a key names. */
function childIn(shape: Alternative, key: Key, rooted: boolean): Member {
  if (shape.type === "array") return isIndex(key, rooted) ? { shape: shape.items, optional: true } : absent;
  return (shape.type === "object" && typeof key === "string" ? memberOf(shape, key) : undefined) ?? absent;
}

const isIndex = (key: Key, rooted: boolean): boolean => typeof key === "number" || (!rooted && isDigits(key));

/** All values that a path of kind N matches, of whatever type the data are. */
export const nodesIn = (data: Shape, path: NodePath): Shape => byType(data, (one) => nodesBelow(one, stepsFor(one, path), path.rooted));

/** The steps of a path in data of that shape (the rows rule of spec/transforms 2.1). */
export const stepsFor = ({ type }: Alternative, path: NodePath): readonly PathStep[] => stepsIn(type === "array" ? [] : {}, path);

/** All values that some steps match. */
export function nodesBelow(data: Shape, steps: readonly PathStep[], rooted: boolean): Shape {
  const [step, ...more] = steps;
  if (step === undefined) return data;
  if (isSegment(step) && step.descend) return any;
  const selectors: readonly Selector[] = isSegment(step) ? step.selectors : [step];
  return nodesBelow(
    byType(data, (one) => union(...selectors.map((selector) => childrenIn(one, selector, rooted)))),
    more,
    rooted,
  );
}

/** The children that a selector may choose. */
function childrenIn(shape: Alternative, selector: Selector, rooted: boolean): Shape {
  if (typeof selector === "string" || typeof selector === "number") return childIn(shape, selector, rooted).shape;
  if (shape.type === "array") return shape.items;
  if (shape.type !== "object" || (typeof selector === "object" && !("passes" in selector))) return never;
  return union(...[...shape.members.values()].map((member) => member.shape), ...(shape.rest === undefined ? [] : [shape.rest]));
}

/** A change of the matches of a path. `must`: a path that names one place fails without a match. */
export interface Change {
  readonly path: NodePath;
  readonly must?: true;
  readonly give: (node: Shape) => Shape;
}

/** The data with each match of a path changed. */
export const changedAt = (data: Shape, { path, must, give }: Change): Shape =>
  byType(data, (one) => {
    const steps = stepsFor(one, path);
    const isOne = steps.every((step) => typeof step === "string" || typeof step === "number");
    return changedBelow(one, steps, { rooted: path.rooted, must: must === true && isOne, give });
  });

interface Below {
  readonly rooted: boolean;
  readonly must: boolean;
  readonly give: (node: Shape) => Shape;
}

/** The data with the matches of some steps changed. */
export function changedBelow(data: Shape, steps: readonly PathStep[], change: Below): Shape {
  const [step, ...more] = steps;
  if (step === undefined) return change.give(data);
  const give = (child: Shape): Shape => changedBelow(child, more, change);
  return byType(data, (one) => {
    if (one.type === "array") return changedElements(one.items, step, give, change);
    return one.type === "object" ? changedMembers(one, step, give, change) : missed(one, change);
  });
}

const missed = (shape: Shape, { must }: Below): Shape => (must ? never : shape);

function changedElements(items: Shape, step: PathStep, give: (child: Shape) => Shape, change: Below): Shape {
  if (step === every) return array(give(items));
  if (isSegment(step)) return step.descend ? anyArray : array(union(items, give(items)));
  return isIndex(step, change.rooted) ? array(union(items, give(items))) : missed(array(items), change);
}

function changedMembers(shape: ObjectShape, step: PathStep, give: (child: Shape) => Shape, change: Below): Shape {
  if (typeof step === "number") return missed(shape, change);
  if (typeof step === "string") {
    const member = memberOf(shape, step);
    if (member === undefined) return missed(shape, change);
    const changed = { ...member, shape: give(member.shape) };
    return withMember(shape, step, change.must ? { shape: changed.shape } : changed);
  }
  if (isSegment(step) && step.descend) return anyObject;
  const may = (child: Shape): Shape => (step === every ? give(child) : union(child, give(child)));
  const members = [...shape.members].map(([name, member]) => [name, { ...member, shape: may(member.shape) }] as const);
  return withMembers(object(new Map(), shape.rest === undefined ? undefined : may(shape.rest)), members);
}

/** The data with a value under a key (spec/transforms 2.4). `fromRoot`: the value was made of the whole data. */
export function writtenAt(data: Shape, keys: readonly string[], value: Shape, fromRoot = false): Shape {
  const [name, ...more] = keys;
  if (name === undefined) return value;
  return byType(data, (one) => {
    if (one.type !== "object" && one.type !== "null" && !fromRoot) return never;
    const under = one.type === "object" ? one : object({});
    const before = memberOf(under, name) ?? absent;
    const parent = before.optional === true ? union(before.shape, { type: "null" }) : before.shape;
    return withMember(under, name, { shape: writtenAt(parent, more, value) });
  });
}
