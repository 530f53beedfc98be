import { isObject, type Json } from "../value/json.ts";
import { numeric } from "../value/target.ts";
import { text } from "../value/values.ts";
import {
  type Alternative,
  array,
  byType,
  canBeEmpty,
  never,
  nothing,
  notNull,
  object,
  oneOf,
  type ScalarShape,
  type Shape,
} from "./shape.ts";

// The part of a shape whose values may pass a matcher, for records of matchers. Without an operand a marker supplies it.

/** Values of these types pass; `false` asks for the contrary. */
export const ofTypes =
  (...types: readonly Alternative["type"][]) =>
  (target: Shape, expected?: boolean): Shape =>
    expected === undefined ? target : byType(target, (one) => (types.includes(one.type) === expected ? one : never));

/** Only values of these types pass, whatever the operand is. */
export const onlyTypes =
  (...types: readonly Alternative["type"][]) =>
  (target: Shape): Shape =>
    byType(target, (one) => (types.includes(one.type) ? one : never));

/** Anything but null may pass. */
export const unlessNull = (target: Shape): Shape => byType(target, (one) => (one.type === "null" ? never : one));

/** Only null, and what has no characters, elements or members. */
export const emptied = (target: Shape): Shape =>
  byType(target, (one) => {
    switch (one.type) {
      case "null":
        return one;
      case "string":
        return among(one, "");
      case "array":
        return array(never);
      case "object":
        return canBeEmpty(one) ? object({}) : never;
      default:
        return never;
    }
  });

/** The values that may equal another one, which is read as each type (spec/language 6.4). */
export function equalTo(target: Shape, expected?: Json): Shape {
  if (expected === undefined) return target;
  return byType(target, (one) => {
    switch (one.type) {
      case "null":
        return expected === null ? nothing : never;
      case "array":
        return Array.isArray(expected) ? one : never;
      case "object":
        return isObject(expected) ? one : never;
      case "string":
        return expected === null ? never : among(one, text(expected));
      case "number":
        return Number.isNaN(numeric(expected)) ? never : among(one, numeric(expected));
      case "boolean":
        return expected === true || expected === "true"
          ? among(one, true)
          : expected === false || expected === "false"
            ? among(one, false)
            : never;
    }
  });
}

const among = (shape: ScalarShape, value: string | number | boolean): Shape =>
  shape.values === undefined || shape.values.includes(value) ? oneOf(shape.type as "string", [value]) : never;

/** Null does not differ from null; what else differs is not said. */
export const differentFrom = (target: Shape, expected?: Json): Shape => (expected === null ? notNull(target) : target);
