import {
  alternatives,
  any,
  array,
  boolean,
  byType,
  canBeEmpty,
  type Member,
  never,
  nothing,
  number,
  type ObjectShape,
  object,
  type Shape,
  string,
  union,
} from "./shape.ts";

/** Members with unknown names, such as those under the indexes of a list. All names begin with `start`. */
interface Unknown {
  readonly start: string;
  readonly shape: Shape;
}

/** The parts of a flat object while it is made. */
interface Flat {
  readonly separator: string;
  readonly members: Map<string, Member>;
  readonly unknown: Unknown[];
}

/** The shape of a value whose nested members are brought to one level (transform `flatten`); of a list, those of each row. */
export function flatShape(value: Shape, separator: string, start: string): Shape {
  if (value.type === "any") return any;
  return byType(value, (one) => {
    if (one.type === "array") return array(flatShape(one.items, separator, start));
    return one.type === "object" ? flatObject(one, separator, start) : one;
  });
}

function flatObject(row: ObjectShape, separator: string, start: string): ObjectShape {
  const flat: Flat = { separator, members: new Map(), unknown: [] };
  spread(row, start, true, flat);
  const rest = union(...flat.unknown.map(({ shape }) => shape));
  const members = [...flat.members].map(([name, member]): [string, Member] => {
    const others = flat.unknown.filter((one) => name.startsWith(one.start)).map(({ shape }) => shape);
    return [name, { ...member, shape: union(member.shape, ...others) }];
  });
  return object(new Map(members), flat.unknown.length === 0 ? undefined : rest);
}

/** Adds the members of an object; `isSure` when the object certainly exists. */
function spread({ members, rest }: ObjectShape, start: string, isSure: boolean, flat: Flat): void {
  for (const [name, { shape, optional }] of members) spreadValue(shape, `${start}${name}`, isSure && optional !== true, flat);
  if (rest !== undefined) flat.unknown.push({ start, shape: leaves(rest) });
}

function spreadValue(value: Shape, name: string, isThere: boolean, flat: Flat): void {
  const inner = `${name}${flat.separator}`;
  const all = alternatives(value);
  const isSure = isThere && all.length === 1;
  const ends = all.map((one) => {
    if (one.type === "array") {
      flat.unknown.push({ start: inner, shape: leaves(one.items) });
      return array(never);
    }
    if (one.type !== "object") return one;
    spread(one, inner, isSure, flat);
    return canBeEmpty(one) ? object({}) : never;
  });
  const end = union(...ends);
  const isEnd = isThere && all.every(({ type }) => type !== "array" && type !== "object");
  const before = flat.members.get(name);
  const optional = isEnd || (before !== undefined && before.optional !== true) ? {} : { optional: true as const };
  flat.members.set(name, { shape: before === undefined ? end : union(before.shape, end), ...optional });
}

/** The values that a flat object may hold for a value whose members have unknown names. */
function leaves(value: Shape): Shape {
  if (value.type === "any") return union(nothing, boolean, number, string, array(never), object({}));
  return byType(value, (one) => {
    if (one.type === "array") return union(array(never), leaves(one.items));
    if (one.type !== "object") return one;
    const inside = [...[...one.members.values()].map(({ shape }) => shape), ...(one.rest === undefined ? [] : [one.rest])];
    return union(object({}), ...inside.map(leaves));
  });
}
