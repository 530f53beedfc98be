import {
  alternatives,
  any,
  array,
  byType,
  isNever,
  type Member,
  memberOf,
  never,
  nothing,
  object,
  type Shape,
  union,
} from "#runtime/shapes/shape.ts";
import type { Step } from "#runtime/value/json.ts";
import { isIndex } from "./follow.ts";

/** A function that gives the part of a shape that passes. */
export type Pass = (shape: Shape) => Shape;

/** The shape of the data whose value at a path passes; `never` when no value can pass. */
export function narrowedAt(data: Shape, path: readonly Step[], pass: Pass): Shape {
  const [step, ...rest] = path;
  if (step === undefined) return pass(data);
  const takesUnset = !isNever(narrowedAt(nothing, rest, pass));
  if (data.type === "any") return takesUnset ? any : withMember(step, rest, pass);
  return byType(data, (one) => {
    // The shape of a list does not tell its elements apart, so an index into it cannot narrow it.
    if (one.type === "array") return takesUnset || isIndex(step) ? one : never;
    const member = one.type === "object" ? memberOf(one, String(step)) : undefined;
    if (one.type !== "object" || member === undefined) return takesUnset ? one : never;
    const shape = narrowedAt(member.shape, rest, pass);
    if (isNever(shape) && !(takesUnset && member.optional)) return never;
    const isOptional = takesUnset && member.optional === true;
    return object(
      new Map<string, Member>([...one.members, [String(step), { shape, ...(isOptional ? { optional: true } : {}) }]]),
      one.rest,
    );
  });
}

/** The shape of unknown data that have a value at the path: an object with that member, or a list where the step may be an index. */
function withMember(step: Step, rest: readonly Step[], pass: Pass): Shape {
  const member = narrowedAt(any, rest, pass);
  const whole = object(new Map([[String(step), { shape: member }]]), any);
  return isIndex(step) ? union(whole, array(any)) : whole;
}

const words: Readonly<Record<string, string>> = {
  array: "a list",
  object: "an object",
  null: "null",
  string: "a text",
  number: "a number",
  boolean: "a boolean",
};

/** A shape in words, for messages. */
export const inWords = (shape: Shape): string =>
  alternatives(shape)
    .map((one) => ("values" in one && one.values?.length === 1 ? JSON.stringify(one.values[0]) : (words[one.type] ?? one.type)))
    .join(" or ");
