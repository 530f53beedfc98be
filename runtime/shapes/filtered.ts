import { isBadPath, type Path, parsePath } from "../paths/marker-path.ts";
import type { Step } from "../value/json.ts";
import { onlyValue } from "./arguments.ts";
import { memberAt, orNull } from "./edit.ts";
import { alternatives, any, byType, isNever, never, nothing, notNull, number, type Shape, string, union } from "./shape.ts";

// Shapes of the results of filters of markers. They are apart from the records, so that a bundle with the records does not carry them.

/** The shape of a text that is made of any value; null stays null. */
export function textOrNull(value: Shape): Shape {
  const isNull = alternatives(value).some(({ type }) => type === "null");
  return union(isNever(notNull(value)) ? never : string, isNull ? nothing : never);
}

/** The value at some steps of a marker (spec/language 2.9); null where there is none. */
export const stepsShape = (value: Shape, steps: readonly Step[]): Shape => steps.reduce(stepShape, value);

function stepShape(value: Shape, step: Step): Shape {
  if (value.type === "any") return any;
  return byType(value, (one) => {
    if (one.type === "object") return orNull(memberAt(one, String(step)));
    return one.type === "array" && /^-?\d+$/.test(String(step)) ? union(one.items, nothing) : nothing;
  });
}

/** The path of a marker in the argument of a filter; undefined when it is not known. */
export function markerPathIn(argument: Shape | undefined): Path | undefined {
  const text = argument === undefined ? undefined : onlyValue(argument);
  const path = typeof text === "string" ? parsePath(text) : undefined;
  return path === undefined || isBadPath(path) ? undefined : path;
}

/** The value at a path of a marker. */
export function followedShape(value: Shape, path: Path | undefined): Shape {
  if (path?.count === true) return union(number, nothing);
  return path === undefined || path.spread !== undefined ? any : stepsShape(value, path.steps);
}

const same = (value: Shape): Shape => value;
const texts = (value: Shape): Shape => (isNever(value) ? never : string);

/** The shapes of the results of filters that are no word of the language. */
export const internalShapes: Readonly<Record<string, (value: Shape) => Shape>> = {
  masked: textOrNull,
  stored: notNull,
  dot_path: textOrNull,
  one_name: same,
  leaf_path: texts,
  document_json: (value) => byType(value, (one) => (one.type === "string" ? any : one)),
  no_operators: same,
  no_references: same,
  no_operator_key: same,
  json_value_of: (value) => byType(value, (one) => (["array", "object", "null"].includes(one.type) ? one : string)),
};
