import {
  absent,
  array,
  byType,
  type Member,
  memberOf,
  never,
  nothing,
  type ObjectShape,
  object,
  type Shape,
  spelling,
  union,
} from "./shape.ts";

// Shapes of the results of edits. `never` means that there is no result, because the edit fails.

/** An object with members that replace its own. It is `never` when a required member can have no value. */
export function withMembers(shape: ObjectShape, members: Iterable<readonly [string, Member]>): Shape {
  const all = new Map([...shape.members, ...members]);
  if ([...all.values()].some(isImpossible)) return never;
  return object(all, shape.rest);
}

const isImpossible = ({ shape, optional }: Member): boolean => optional === undefined && shape.type === "union" && shape.of.length === 0;

export const withMember = (shape: ObjectShape, name: string, member: Member): Shape => withMembers(shape, [[name, member]]);

/** An object without the members of these names. */
export const withoutMembers = (shape: ObjectShape, names: Iterable<string>): Shape =>
  withMembers(
    shape,
    [...names].map((name) => [name, absent] as const),
  );

/** A member that may be missing. */
export const optional = (member: Member): Member => ({ ...member, optional: true });

/** The member of that name, or `absent`. */
export const memberAt = (shape: ObjectShape, name: string): Member => memberOf(shape, name) ?? absent;

/** One of two members, whose values may come from either. */
export const eitherMember = (a: Member, b: Member): Member => ({
  shape: union(a.shape, b.shape),
  ...(a.optional === true || b.optional === true ? { optional: true as const } : {}),
  ...spelling(a, b),
});

/** The first of two members where it exists, else the second. */
export const memberElse = (first: Member, second: Member): Member =>
  first.optional === true ? { ...second, shape: union(first.shape, second.shape), ...spelling(first, second) } : first;

/** The value of a member, or another value when the member is missing. */
export const orElse = ({ shape, optional: mayMiss }: Member, other: Shape): Shape => (mayMiss === true ? union(shape, other) : shape);

/** The value of a member; null where it is missing. */
export const orNull = (member: Member): Shape => orElse(member, nothing);

/** The members of one object over those of another. */
export function merged(under: ObjectShape, over: ObjectShape): Shape {
  const names = new Set([...under.members.keys(), ...over.members.keys()]);
  const members = [...names].map((name) => [name, memberElse(memberAt(over, name), memberAt(under, name))] as const);
  const rests = [under.rest, over.rest].flatMap((rest) => rest ?? []);
  return withMembers(object(new Map(), rests.length === 0 ? undefined : union(...rests)), members);
}

/** An edit of an object, or of each object of a list, whose other elements stay; anything else fails. */
export const rows = (data: Shape, give: (row: ObjectShape) => Shape): Shape =>
  byType(data, (one) => {
    if (one.type === "object") return give(one);
    if (one.type !== "array") return never;
    return array(byType(one.items, (item) => (item.type === "object" ? give(item) : item)));
  });

/** The data, when they can have members; anything else fails. */
export const containersOf = (data: Shape): Shape => byType(data, (one) => (one.type === "object" || one.type === "array" ? one : never));

/** The data, when they are an object; anything else fails. */
export const objectsOf = (data: Shape): Shape => byType(data, (one) => (one.type === "object" ? one : never));
