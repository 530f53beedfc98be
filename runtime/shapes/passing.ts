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

// Each function gives the part of a shape whose values may pass a matcher, for the record of the matcher. The operand is undefined when a
// marker supplies it.

/** Values of these types pass; with the operand `false` all others pass. */
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

/** Only null passes, and texts, lists and objects that are empty. */
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

/** Only null is certain not to differ from null; other operands exclude nothing. */
export const differentFrom = (target: Shape, expected?: Json): Shape => (expected === null ? notNull(target) : target);
