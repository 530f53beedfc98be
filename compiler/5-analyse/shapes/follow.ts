import { array, isNever, memberOf, narrowed, nothing, type Shape, type UnionShape, union } from "#runtime/shapes/shape.ts";
import type { Step } from "#runtime/value/json.ts";
import { slipOf } from "../../diagnostics/nearest.ts";
import { present } from "../../present.ts";

/**
 * A step of a path that leads nowhere for every possible value: `name` is not among the members `known`, or the value has the type `type`.
 */
export interface Missing {
  readonly name: Step;
  /** The number of steps before this one, which lead to the value without that member. */
  readonly depth: number;
  readonly known: readonly string[];
  /** The type of the value, when it is never an object. */
  readonly type?: string;
}

export interface Followed {
  readonly shape: Shape;
  readonly missing?: Missing;
}

/** Follows a path as runtime/value `at` does (spec/language 2.9). Null is never a reason to call a path missing: it may be unset. */
export function follow(shape: Shape, path: readonly Step[], depth = 0): Followed {
  const [step, ...rest] = path;
  if (step === undefined || shape.type === "any") return { shape };
  const all = alternativesOf(shape);
  const children = all.map((one) => below(one, step));
  const there = children.filter((one) => one !== undefined);
  const inner = union(...(there.length < all.length ? [nothing] : []), ...there);
  if (there.length > 0 || all.every(({ type }) => type === "null")) return follow(inner, rest, depth + 1);
  return { shape: nothing, missing: missingIn(all, step, depth) };
}

/** A step that is probably misspelt: the objects may have any member, but one known member has nearly the same name. */
export interface Slip {
  readonly depth: number;
  readonly meant: string;
}

/** The first misspelt step of a path that may lead somewhere. */
export function slipIn(shape: Shape, path: readonly Step[], depth = 0): Slip | undefined {
  const [step, ...rest] = path;
  if (step === undefined || shape.type === "any") return undefined;
  const objects = alternativesOf(shape).filter((one) => one.type === "object");
  const isKnown = objects.some(({ members }) => members.has(String(step)));
  const meant = isKnown ? undefined : slipOf(String(step), missingIn(objects, step, depth).known);
  return meant === undefined ? slipIn(follow(shape, [step]).shape, rest, depth + 1) : { depth, meant };
}

type Alternative = UnionShape["of"][number];

const alternativesOf = (shape: Exclude<Shape, { type: "any" }>): readonly Alternative[] => (shape.type === "union" ? shape.of : [shape]);

/** True for a step that may lead into a list. */
export const isIndex = (step: Step): boolean => typeof step === "number" || /^\d+$/.test(step);

/** The shape behind one step, with null where the step may lead nowhere; undefined when it always leads nowhere. */
function below(one: Alternative, step: Step): Shape | undefined {
  if (one.type === "array") return isIndex(step) ? union(one.items, nothing) : undefined;
  const member = one.type === "object" ? memberOf(one, String(step)) : undefined;
  if (member === undefined || isNever(member.shape)) return undefined;
  return member.optional ? union(member.shape, nothing) : member.shape;
}

function missingIn(all: readonly Alternative[], name: Step, depth: number): Missing {
  const objects = all.filter((one) => one.type === "object");
  const keys = [...new Set(objects.flatMap(({ members }) => [...members].flatMap(([key, { shape }]) => (isNever(shape) ? [] : [key]))))];
  const [other] = all.filter(({ type }) => type !== "null");
  return { name, depth, known: keys, ...(objects.length > 0 || other === undefined ? {} : { type: other.type }) };
}

/** The values found at a path in each element of a list, as runtime/value `each` finds them; `*` in the path fans out again. */
export function followEach(shape: Shape, path: readonly Step[]): Followed {
  if (shape.type === "any") return { shape };
  const all = alternativesOf(shape);
  const lists = all.filter((one) => one.type === "array");
  const [list] = lists;
  if (list === undefined) return { shape: nothing };
  const star = path.indexOf("*");
  const items = follow(list.items, star < 0 ? path : path.slice(0, star));
  const elements = star < 0 ? items : flattened(items, path.slice(star + 1));
  return { ...elements, shape: all.length > lists.length ? union(array(elements.shape), nothing) : array(elements.shape) };
}

/** Makes one list of the lists that `*` has found. */
function flattened({ shape, missing }: Followed, path: readonly Step[]): Followed {
  const inner = followEach(shape, path);
  const lists = narrowed(inner.shape, ({ type }) => type === "array");
  const firstMissing = missing ?? inner.missing;
  return { shape: lists.type === "array" ? lists.items : lists, ...present({ missing: firstMissing }) };
}

/** A path that a transform expects, with the step in it that is probably misspelt although it may lead somewhere. */
export interface FollowedExpected extends Followed {
  readonly slip?: Slip | undefined;
}

/** Follows a path that a transform expects in the data, or in each row of a list. */
export function followExpected(data: Shape, path: readonly Step[]): FollowedExpected {
  if (data.type === "any") return { shape: data };
  const isIndexed = path[0] !== undefined && isIndex(path[0]);
  const places = alternativesOf(data).flatMap((one) =>
    one.type === "object" ? [one] : one.type === "array" ? [isIndexed ? one : one.items] : [],
  );
  const rows = union(...places);
  const followed = follow(rows, path);
  return followed.missing === undefined ? { ...followed, slip: slipIn(rows, path) } : followed;
}
