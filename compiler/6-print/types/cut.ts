import { any, anyArray, anyObject, isNever, type Member, nothing, object, type Shape, union } from "#runtime/shapes/shape.ts";

// Bounds for types that are easy to read. Beyond them a printed type is `pw.Json`, or an object or list of it.
const usualDepth = 5;
const mostMembers = 30;
const mostValues = 8;
const mostParts = 150;

/**
 * A shape in the size in which it is printed: parts that are too deep, too wide or too long become `any`. The result never states more than
 * the shape.
 */
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
      // A value that may be any scalar is printed as any value.
      return scalars.every((scalar) => of.some((one) => one.type === scalar && !("values" in one))) ? any : union(...of);
    }
    case "array":
      return depth === 0 ? anyArray : { type: "array", items: cutAt(shape.items, depth - 1, parts) };
    case "object": {
      if (depth === 0 || shape.members.size > mostMembers) return anyObject;
      // A member that is never present is left out, since its type would be less clear than its absence.
      const there = [...shape.members].filter(([, member]) => !isNever(member.shape));
      const members = there.map(([name, member]): [string, Member] => [name, { ...member, shape: cutAt(member.shape, depth - 1, parts) }]);
      return object(new Map(members), shape.rest === undefined ? undefined : cutAt(shape.rest, depth - 1, parts));
    }
  }
}

const scalars = ["null", "boolean", "number", "string"];

/** True for a shape that states at most "a list" or "an object", which needs no printed type. */
export const isOpen = (shape: Shape): boolean =>
  union(shape, nothing).type === "any" ||
  shape.type === "null" ||
  (shape.type === "array" && isOpen(shape.items)) ||
  (shape.type === "object" && shape.members.size === 0 && (shape.rest === undefined || isOpen(shape.rest))) ||
  (shape.type === "union" && shape.of.every(isOpen));
