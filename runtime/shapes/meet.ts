import {
  type Alternative,
  alternatives,
  array,
  type Member,
  memberOf,
  never,
  type ObjectShape,
  object,
  oneOf,
  type Shape,
  spelling,
  union,
} from "./shape.ts";

/** The values that fit both shapes, or a larger set. When one of the shapes is open, the other one decides. */
export function meet(a: Shape, b: Shape): Shape {
  if (a.type === "any") return b;
  if (b.type === "any") return a;
  const [all, others] = [alternatives(a), alternatives(b)];
  return union(...all.flatMap((one) => others.map((other) => meetOne(one, other))));
}

function meetOne(a: Alternative, b: Alternative): Shape {
  if (a.type === "array" && b.type === "array") return array(meet(a.items, b.items));
  if (a.type === "object" && b.type === "object") return meetObjects(a, b) ?? never;
  if (a.type !== b.type || a.type === "array" || a.type === "object" || b.type === "array" || b.type === "object") return never;
  if (a.values === undefined || a.type === "null") return b;
  const { values } = b;
  const both = values === undefined ? a.values : a.values.filter((value) => values.includes(value));
  return both.length === 0 ? never : oneOf(a.type, both);
}

/** The common shape of two objects; undefined when one requires a member that the other cannot have. */
function meetObjects(a: ObjectShape, b: ObjectShape): ObjectShape | undefined {
  const members = new Map<string, Member>();
  for (const name of new Set([...a.members.keys(), ...b.members.keys()])) {
    const [one, other] = [memberOf(a, name), memberOf(b, name)];
    const isOptional = (one === undefined || one.optional === true) && (other === undefined || other.optional === true);
    const shape = one === undefined || other === undefined ? never : meet(one.shape, other.shape);
    const cannotBe = shape.type === "union" && shape.of.length === 0;
    if (!cannotBe) members.set(name, { shape, ...(isOptional ? { optional: true } : {}), ...spelling(one, other) });
    else if (!isOptional) return undefined;
  }
  return object(members, a.rest === undefined || b.rest === undefined ? undefined : meet(a.rest, b.rest));
}
