import { array, type Member, object, type Shape, union } from "#runtime/shapes/shape.ts";
import { isObject, type Json } from "#runtime/value/json.ts";

// This file handles members whose names the database may write with other capitals (shape.ts `anyCase`).

/**
 * The data in two spellings: with the names as the query spells them, and with the names as the arguments spell them, or with other
 * capitals if the arguments lack them. A transform compares names literally, so that its shape is worked out once for each spelling.
 */
export function spellings(data: Shape, args: Json | undefined): readonly Shape[] {
  if (!isSpelled(data)) return [data];
  const names = args === undefined ? [] : textsIn(args);
  const asWritten = (name: string): readonly [string, Partial<Member>] => [name, {}];
  const otherwise = (name: string): readonly [string, Partial<Member>] => {
    const other = names.find((text) => text !== name && text.toLowerCase() === name.toLowerCase());
    return [other ?? otherCase(name), { optional: true, anyCase: true }];
  };
  return [respelled(data, asWritten), respelled(data, otherwise)];
}

const otherCase = (name: string): string => (name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase());

function isSpelled(shape: Shape): boolean {
  if (shape.type === "array") return isSpelled(shape.items);
  if (shape.type === "union") return shape.of.some(isSpelled);
  return shape.type === "object" && [...shape.members.values()].some((member) => member.anyCase === true || isSpelled(member.shape));
}

function respelled(shape: Shape, spell: (name: string) => readonly [string, Partial<Member>]): Shape {
  if (shape.type === "array") return array(respelled(shape.items, spell));
  if (shape.type === "union") return union(...shape.of.map((one) => respelled(one, spell)));
  if (shape.type !== "object") return shape;
  const members = [...shape.members].map(([name, { anyCase, ...member }]): [string, Member] => {
    const inner = respelled(member.shape, spell);
    if (anyCase !== true) return [name, { ...member, shape: inner }];
    const [written, facts] = spell(name);
    return [written, { ...facts, shape: inner }];
  });
  return object(new Map(members), shape.rest);
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.entries(value).flatMap(([key, inner]) => [key, ...textsIn(inner)]) : [];
}
