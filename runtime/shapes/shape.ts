import { isObject, type Json } from "../value/json.ts";

/**
 * A description of a value, as far as it is known before anything runs. `any` is open: nothing is known, so no finding is reported about
 * it. A union of nothing is `never`: there is no such value. Scalars may list the only values that they can have.
 */
export type Shape = AnyShape | ScalarShape | ArrayShape | ObjectShape | UnionShape;

export interface AnyShape {
  readonly type: "any";
}

export interface ScalarShape {
  readonly type: "null" | "boolean" | "number" | "string";
  readonly values?: readonly (boolean | number | string)[];
}

export interface ArrayShape {
  readonly type: "array";
  readonly items: Shape;
}

/** An object: its members by name, and what members of other names hold. Without `rest` there are no others. */
export interface ObjectShape {
  readonly type: "object";
  readonly members: ReadonlyMap<string, Member>;
  readonly rest?: Shape;
}

export interface Member {
  readonly shape: Shape;
  /** True when the member may be missing. */
  readonly optional?: true;
  /** True when its name may be written with other capitals: some databases name a column as the table does, and not as the query does. */
  readonly anyCase?: true;
}

/** A shape of one type. */
export type Alternative = ScalarShape | ArrayShape | ObjectShape;

/** One of several alternatives, none of which is itself a union or open. */
export interface UnionShape {
  readonly type: "union";
  readonly of: readonly Alternative[];
}

/** Bounds of a shape. Beyond them it is open, so that analysis takes linear time even for hostile configurations. */
const maxDepth = 12;
const maxSize = 5000;
const maxMembers = 500;
const maxValues = 50;

export const any: AnyShape = { type: "any" };
export const never: UnionShape = { type: "union", of: [] };
export const nothing: ScalarShape = { type: "null" };
export const boolean: ScalarShape = { type: "boolean" };
export const number: ScalarShape = { type: "number" };
export const string: ScalarShape = { type: "string" };

export const isNever = (shape: Shape): boolean => shape.type === "union" && shape.of.length === 0;

/** A scalar that can have no other values than these. */
export const oneOf = (type: "boolean" | "number" | "string", values: readonly (boolean | number | string)[]): ScalarShape =>
  values.length > maxValues ? { type } : { type, values: [...new Set(values)] };

export const array = (items: Shape): ArrayShape => ({ type: "array", items: bounded(items) });

/** An object with these members; `rest` is what members of other names hold, and absent where there are none. */
export function object(members: ReadonlyMap<string, Member> | Readonly<Record<string, Shape>>, rest?: Shape): ObjectShape {
  const map = members instanceof Map ? members : new Map(Object.entries(members).map(([name, shape]) => [name, { shape }] as const));
  if (map.size > maxMembers) return { type: "object", members: new Map(), rest: any };
  const others = rest === undefined || isNever(rest) ? undefined : bounded(rest);
  const inner = new Map<string, Member>();
  for (const [name, member] of map) {
    // Without `rest` a member that is certainly absent says nothing, so it is left out.
    if (others === undefined && member.optional === true && isNever(member.shape)) continue;
    const shape = bounded(member.shape);
    inner.set(name, shape === member.shape ? member : { ...member, shape });
  }
  const result: ObjectShape = others === undefined ? { type: "object", members: inner } : { type: "object", members: inner, rest: others };
  return extentOf(result).size > maxSize ? withOpenMembers(result) : result;
}

/** An object that was too large: it keeps the names of its members, whose shapes become open. */
function withOpenMembers({ members, rest }: ObjectShape): ObjectShape {
  const names = new Map([...members].map(([name, member]) => [name, isNever(member.shape) ? member : { ...member, shape: any }] as const));
  return { type: "object", members: names, ...(rest === undefined ? {} : { rest: any }) };
}

/** An object of which nothing is known. */
export const anyObject: ObjectShape = { type: "object", members: new Map(), rest: any };

/** A list of which nothing is known. */
export const anyArray: ArrayShape = { type: "array", items: any };

/** True when no member is required. */
export const canBeEmpty = ({ members }: ObjectShape): boolean => [...members.values()].every(({ optional }) => optional === true);

/** A member that is certainly not there, whatever other members hold. */
export const absent: Member = { shape: never, optional: true };

/** One of these shapes. Objects are joined into one, and lists too, so that a union has at most one shape of each type. */
export function union(...shapes: readonly Shape[]): Shape {
  return unionOf(shapes);
}

/** A union of any number: a call has no more than some thousand arguments. */
export function unionOf(shapes: readonly Shape[]): Shape {
  // Most values have one shape, or are open, which needs no further work.
  if (shapes.some(({ type }) => type === "any")) return any;
  const [first, ...others] = shapes;
  if (first !== undefined && others.length === 0) return first;
  const of: Alternative[] = [];
  for (const shape of shapes) {
    for (const one of alternatives(shape)) {
      const i = of.findIndex(({ type }) => type === one.type);
      const same = of[i];
      if (same === undefined) of.push(one);
      else of[i] = joined(same, one);
    }
  }
  const [only, ...more] = of;
  if (of.length === types.length && of.every(isOpen)) return any;
  return only !== undefined && more.length === 0 ? only : { type: "union", of };
}

/** One shape of each type, without further knowledge: together they are an open shape. */
const types: readonly Alternative[] = [nothing, boolean, number, string, anyArray, anyObject];

/** True when no more is known than the type. */
function isOpen(shape: Alternative): boolean {
  if (shape.type === "array") return shape.items.type === "any";
  return shape.type === "object" ? shape.members.size === 0 && shape.rest?.type === "any" : shape.values === undefined;
}

/** Applies a function to each alternative. For an open shape these are one of each type. */
export const byType = (shape: Shape, give: (one: Alternative) => Shape): Shape => union(...alternatives(shape).map(give));

/** The alternatives of a shape: a value fits one of them. */
export function alternatives(shape: Shape): readonly Alternative[] {
  if (shape.type === "any") return types;
  return shape.type === "union" ? shape.of : [shape];
}

/** Joins two shapes of one type. */
function joined(a: Alternative, b: Alternative): Alternative {
  if (a === b) return a;
  if (a.type === "array" && b.type === "array") return array(union(a.items, b.items));
  if (a.type === "object" && b.type === "object") return joinedObjects(a, b);
  return joinedScalars(a as ScalarShape, b as ScalarShape);
}

function joinedScalars(a: ScalarShape, b: ScalarShape): ScalarShape {
  if (a.type === "null" || a.values === undefined) return a;
  return b.values === undefined ? b : oneOf(a.type, [...a.values, ...b.values]);
}

function joinedObjects(a: ObjectShape, b: ObjectShape): ObjectShape {
  const names = new Set([...a.members.keys(), ...b.members.keys()]);
  const members = [...names].map((name): [string, Member] => {
    const [one, other] = [memberOf(a, name), memberOf(b, name)];
    const shape = union(...[one, other].flatMap((each) => (each === undefined ? [] : [each.shape])));
    const isOptional = one === undefined || other === undefined || one.optional === true || other.optional === true;
    return [name, { shape, ...(isOptional ? { optional: true as const } : {}), ...spelling(one, other) }];
  });
  const rests = [a.rest, b.rest].flatMap((rest) => rest ?? []);
  return object(new Map(members), rests.length === 0 ? undefined : union(...rests));
}

/** The member of that name, if there can be one. */
export function memberOf({ members, rest }: ObjectShape, name: string): Member | undefined {
  return members.get(name) ?? respelled(members, name) ?? (rest === undefined ? undefined : { shape: rest, optional: true });
}

function respelled(members: ObjectShape["members"], name: string): Member | undefined {
  const lower = name.toLowerCase();
  for (const [known, member] of members) if (member.anyCase === true && known.toLowerCase() === lower) return { ...member, optional: true };
  return undefined;
}

/** The spelling of a member that is made of other members. The name may have other capitals when that is true of one of them. */
export const spelling = (...members: readonly (Member | undefined)[]): Pick<Member, "anyCase"> =>
  members.some((member) => member?.anyCase === true) ? { anyCase: true } : {};

/** The shape of a value that is known. */
export function shapeOf(value: Json): Shape {
  if (Array.isArray(value)) return array(value.length > maxMembers ? any : union(...value.map(shapeOf)));
  if (isObject(value)) return object(new Map(Object.entries(value).map(([name, member]) => [name, { shape: shapeOf(member) }])));
  return value === null ? nothing : oneOf(typeof value as "boolean" | "number" | "string", [value]);
}

/** Leaves out the alternatives for which `keeps` is false. An open shape stays open. */
export function narrowed(shape: Shape, keeps: (one: UnionShape["of"][number]) => boolean): Shape {
  if (shape.type === "any") return shape;
  return union(...(shape.type === "union" ? shape.of : [shape]).filter(keeps));
}

/** The shape of the values that are not null. */
export const notNull = (shape: Shape): Shape => narrowed(shape, ({ type }) => type !== "null");

/** Applies a function to each alternative. An open shape is passed to the function as it is. */
export const each = (shape: Shape, give: (one: Exclude<Shape, UnionShape>) => Shape): Shape =>
  shape.type === "union" ? union(...shape.of.map(give)) : give(shape);

/** Makes a shape open when it is too large. Where it is too deep, its deepest parts become open. */
function bounded(shape: Shape, depth = maxDepth): Shape {
  const { levels, size } = extentOf(shape);
  if (size > maxSize) return any;
  if (levels <= depth) return shape;
  return depth === 0 ? any : mapParts(shape, (part) => bounded(part, depth - 1));
}

/** The depth of a shape's parts, and the number of its parts, the shape itself included. */
interface Extent {
  readonly levels: number;
  readonly size: number;
}

const scalarExtent: Extent = { levels: 0, size: 1 };

/**
 * Extents of shapes that were measured, so that each shape is measured once. Parts are shared, so that a shape may have far more parts than
 * its memory shows. Small shapes are measured again, which takes less time than an entry here.
 */
const extents = new WeakMap<Shape, Extent>();
const smallestKept = 32;

function extentOf(shape: Shape): Extent {
  if (!hasParts(shape)) return scalarExtent;
  const cached = extents.get(shape);
  if (cached !== undefined) return cached;
  let [levels, size] = [0, 1];
  eachPart(shape, (part) => {
    const inner = extentOf(part);
    levels = Math.max(levels, inner.levels);
    size += inner.size;
  });
  const extent = { levels: levels + 1, size };
  if (size >= smallestKept) extents.set(shape, extent);
  return extent;
}

/** False for most shapes, whose extent is known without measuring. */
function hasParts(shape: Shape): boolean {
  if (shape.type === "union") return shape.of.some(hasParts);
  return shape.type === "array" || (shape.type === "object" && (shape.members.size > 0 || shape.rest !== undefined));
}

function eachPart(shape: Shape, give: (part: Shape) => void): void {
  if (shape.type === "array") give(shape.items);
  else if (shape.type === "union") for (const one of shape.of) eachPart(one, give);
  else if (shape.type === "object") {
    for (const member of shape.members.values()) give(member.shape);
    if (shape.rest !== undefined) give(shape.rest);
  }
}

function mapParts(shape: Shape, give: (part: Shape) => Shape): Shape {
  if (shape.type === "array") return { type: "array", items: give(shape.items) };
  if (shape.type === "union") return union(...shape.of.map((one) => mapParts(one, give)));
  if (shape.type !== "object") return shape;
  const members = new Map([...shape.members].map(([name, member]) => [name, { ...member, shape: give(member.shape) }] as const));
  return { type: "object", members, ...(shape.rest === undefined ? {} : { rest: give(shape.rest) }) };
}
