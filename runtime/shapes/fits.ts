import { isObject, type Json, typeOf } from "../value/json.ts";
import { memberOf, type Shape } from "./shape.ts";

/** True when a value is one of those that a shape describes. */
export function fits(value: Json, shape: Shape): boolean {
  if (shape.type === "any") return true;
  if (shape.type === "union") return shape.of.some((one) => fits(value, one));
  if (shape.type !== typeOf(value)) return false;
  if (shape.type === "array") return (value as Json[]).every((item) => fits(item, shape.items));
  if (shape.type !== "object") return shape.values === undefined || shape.values.includes(value as string);
  if (!isObject(value)) return false;
  const isWhole = [...shape.members].every(([name, { optional }]) => optional === true || Object.hasOwn(value, name));
  return (
    isWhole &&
    Object.entries(value).every(([name, inner]) => {
      const member = memberOf(shape, name);
      return member !== undefined && fits(inner, member.shape);
    })
  );
}
