import type { ShapedArguments } from "../features/feature.ts";
import { type KeyPath, keyPath, type NodePath, nodePath, valuePath } from "../paths/path.ts";
import { Reject } from "../value/failure.ts";
import type { Json, Step } from "../value/json.ts";
import { memberAt, orNull } from "./edit.ts";
import { valueIn, writtenAt } from "./place.ts";
import { alternatives, any, anyObject, byType, isNever, never, nothing, type Shape, union } from "./shape.ts";

// Functions by which records ask what is known of a transform's arguments before it runs.

/** The shape of one argument; null where it is absent. */
export const argument = (args: Shape, name: string): Shape =>
  byType(args, (one) => (one.type === "object" ? orNull(memberAt(one, name)) : one.type === "null" ? nothing : any));

/** The only value that a shape has; undefined where there may be others. */
export function onlyValue(shape: Shape): Json | undefined {
  if (shape.type === "null") return null;
  if (shape.type !== "boolean" && shape.type !== "number" && shape.type !== "string") return undefined;
  return shape.values?.length === 1 ? shape.values[0] : undefined;
}

/** The shape that follows from prepared arguments; open where they have markers, or stage 1 refuses them. */
export function whenKnown<Args, Ready>(
  { known }: ShapedArguments<Args>,
  prepare: (args: Args) => Ready,
  give: (ready: Ready) => Shape,
): Shape {
  const ready = known === undefined ? undefined : accepted(() => prepare(known));
  return ready === undefined ? any : give(ready);
}

/** The result of `prepare`; undefined when stage 1 refuses the arguments. */
function accepted<Ready>(prepare: () => Ready): Ready | undefined {
  try {
    return prepare();
  } catch (error) {
    if (error instanceof Reject) return undefined;
    throw error;
  }
}

/** The parsed path of an argument of kind N that holds no marker; otherwise undefined. */
export function pathIn(shape: Shape): NodePath | undefined {
  const text = onlyValue(shape);
  return typeof text === "string" ? accepted(() => nodePath(text)) : undefined;
}

/** The parsed key of an argument of kind W that holds no marker; otherwise undefined. */
function keyIn(shape: Shape): KeyPath | undefined {
  const text = onlyValue(shape);
  return typeof text === "string" ? accepted(() => keyPath(text)) : undefined;
}

/** The data with a value under the key that an argument names. Null data and missing parents become objects. */
export function keyed(data: Shape, key: Shape, value: Shape, fromRoot = false): Shape {
  if (isNever(value)) return never;
  const path = keyIn(key);
  if (path !== undefined) return writtenAt(data, path.steps, value, fromRoot);
  const isWritten = alternatives(data).some(({ type }) => fromRoot || type === "object" || type === "null");
  return isWritten ? anyObject : never;
}

/** The value that a source gives (paths/source.ts). Its shape is `never` when there is no value. */
interface Sourced {
  readonly shape: Shape;
  /** True when the value may be the whole data. */
  readonly isRoot: boolean;
}

/** The value of an argument that is a path, or by marker the value itself (spec/transforms 2.3). */
export function sourced(data: Shape, source: Shape): Sourced {
  const text = onlyValue(source);
  if (typeof text === "string") {
    const path = accepted(() => valuePath(text));
    return path === undefined
      ? { shape: any, isRoot: true }
      : { shape: valueIn(data, path.steps, path.rooted).shape, isRoot: path.steps.length === 0 };
  }
  const isText = alternatives(source).some(({ type }) => type === "string");
  const value = byType(source, (one) => (one.type === "object" ? memberAt(one, "value").shape : any));
  return isText ? { shape: any, isRoot: true } : { shape: value, isRoot: false };
}

/**
 * The data with a value under the argument `key` that is made of a source. The source stays, unless it was the whole data and no object.
 */
export function keyedFrom(data: Shape, args: Shape, name: string, give: (value: Shape) => Shape): Shape {
  const { shape, isRoot } = sourced(data, argument(args, name));
  const value = give(shape);
  const key = argument(args, "key");
  const keyedShape = keyed(data, key, value);
  return isRoot ? union(keyed(data, key, value, true), isCertain(args, name) ? never : keyedShape) : keyedShape;
}

const isCertain = (args: Shape, name: string): boolean => onlyValue(argument(args, name)) !== undefined;

/** The shape of a result that is made of a text; `never` for any other value. */
export const ofText =
  (result: Shape) =>
  (value: Shape): Shape =>
    alternatives(value).some(({ type }) => type === "string") ? result : never;

/** The shape of a result that is made of any value; `never` when there is none. */
export const ofAny =
  (result: Shape) =>
  (value: Shape): Shape =>
    isNever(value) ? never : result;

/**
 * The places that paths name, in the data or in each row: for `expects` of a record. Paths that stage 1 refuses, or that may match many
 * places, are left out.
 */
export function placesOf(paths: readonly unknown[]): readonly (readonly Step[])[] {
  return paths.flatMap((text) => {
    const path = typeof text === "string" ? accepted(() => nodePath(text)) : undefined;
    if (path === undefined) return [];
    const [first, ...more] = path.steps;
    const steps = typeof first === "symbol" ? more : path.steps;
    const names = steps.filter((step) => typeof step === "string" || typeof step === "number");
    return names.length === steps.length && names.length > 0 ? [names] : [];
  });
}

/** The places of plain names: each name is one step, as it is written. */
export const placesOfNames = (names: readonly unknown[]): readonly (readonly Step[])[] =>
  names.flatMap((name) => (typeof name === "string" ? [[name]] : []));
