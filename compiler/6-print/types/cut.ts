import { any, anyArray, anyObject, isNever, type Member, nothing, object, type Shape, union } from "#runtime/shapes/shape.ts";

// Bounds of what a reader takes in: beyond them a printed type is open.
const usualDepth = 5;
const mostMembers = 30;
const mostValues = 8;
const mostParts = 150;

/** A shape as it is printed: what is too deep, too wide or too long is open there. It never says more than the shape. */
export const cut = (shape: Shape, deepest = usualDepth): Shape => cutAt(shape, deepest, { left: mostParts });

function cutAt(shape: Shape, depth: number, parts: { left: number }): Shape {
  parts.left -= 1;
  if (parts.left < 0) return any;
  switch (shape.type) {
    case "any":
    case "null":
      return shape;
    case "boolean":
    case "number":
    case "string":
      return shape.values !== undefined && shape.values.length > mostValues ? { type: shape.type } : shape;
    case "union": {
      const of = shape.of.map((one) => cutAt(one, depth, parts));
      // A value that may be any scalar is as good as open.
      return scalars.every((scalar) => of.some((one) => one.type === scalar && !("values" in one))) ? any : union(...of);
    }
    case "array":
      return depth === 0 ? anyArray : { type: "array", items: cutAt(shape.items, depth - 1, parts) };
    case "object": {
      if (depth === 0 || shape.members.size > mostMembers) return anyObject;
      // The type of a member that is certainly not there would say less than its absence.
      const there = [...shape.members].filter(([, member]) => !isNever(member.shape));
      const members = there.map(([name, member]): [string, Member] => [name, { ...member, shape: cutAt(member.shape, depth - 1, parts) }]);
      return object(new Map(members), shape.rest === undefined ? undefined : cutAt(shape.rest, depth - 1, parts));
    }
  }
}

const scalars = ["null", "boolean", "number", "string"];

/** True when nothing is known but perhaps that it is a list or an object: such a shape is not worth a line. */
export const isOpen = (shape: Shape): boolean =>
  union(shape, nothing).type === "any" ||
  shape.type === "null" ||
  (shape.type === "array" && isOpen(shape.items)) ||
  (shape.type === "object" && shape.members.size === 0 && (shape.rest === undefined || isOpen(shape.rest))) ||
  (shape.type === "union" && shape.of.every(isOpen));
