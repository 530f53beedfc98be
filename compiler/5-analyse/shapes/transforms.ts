import { type NodePath, nodePath } from "#runtime/paths/path.ts";
import type { Expr, NestedPlan, TransformOp } from "#runtime/plan/index.ts";
import { containersOf } from "#runtime/shapes/edit.ts";
import { changedAt, nodesIn } from "#runtime/shapes/place.ts";
import { alternatives, any, array, each, isNever, narrowed, type Shape } from "#runtime/shapes/shape.ts";
import { Reject } from "#runtime/value/failure.ts";
import { argumentsOf } from "./arguments.ts";
import { exprShape } from "./exprs.ts";
import { followExpected } from "./follow.ts";
import { inWords } from "./narrow.ts";
import { expectedPaths, transformedShape } from "./records.ts";
import type { ShapeScope } from "./scope.ts";
import { afterTests } from "./tests.ts";

/** True for data of a type that a transform may refuse. Of an object it may only miss a member, which is another mistake. */
const isRefused = (data: Shape): boolean => !isNever(data) && alternatives(data).every(({ type }) => type !== "object");

/** The data after one entry of `post_transforms`. */
export function transformShape(op: TransformOp, data: Shape, outer: ShapeScope): Shape {
  const scope: ShapeScope = { ...outer, at: op.at ?? outer.at };
  switch (op.op) {
    case "transform": {
      const args = argumentsOf(op.args, scope);
      let isTold = false;
      for (const path of args.known === undefined ? [] : expectedPaths(op.use, args.known)) {
        const { missing, slip, shape } = followExpected(data, path);
        scope.note.expected(op.use, path, { missing, slip, of: scope.self ?? "the data" }, scope.at);
        isTold ||= missing !== undefined;
        if (scope.at !== undefined) scope.watch?.({ at: scope.at, of: data, path, shape, into: "rows" });
      }
      const result = transformedShape(op.use, data, args);
      scope.note.transformed(op.use, isNever(result) && !isTold && isRefused(data) ? inWords(data) : undefined, scope.at);
      return result;
    }
    case "filter": {
      const path = pathOf(op.target, scope);
      const item = path === undefined ? any : itemsOf(nodesIn(data, path));
      afterTests(op.tests, any, { ...withValues(op, scope), item });
      // A filter leaves elements out, but changes none, so the shape stays.
      return data;
    }
    case "nest":
      return op.lists.reduce<Shape>((shape, list) => nestedShape(list, shape, scope), data);
  }
}

/** The values of markers, which are the same for all elements. An op inside another op sees the values of the outer op. */
const withValues = ({ values }: { readonly values?: readonly Expr[] }, scope: ShapeScope): ShapeScope =>
  values === undefined ? scope : { ...scope, values: values.map((value) => exprShape(value, scope)) };

function itemsOf(lists: Shape): Shape {
  const arrays = narrowed(lists, ({ type }) => type === "array");
  return arrays.type === "array" ? arrays.items : any;
}

/** Transforms of all values that a path matches, each as a root of its own, as runtime/run/steps/nested.ts runs them. */
function nestedShape(list: NestedPlan, data: Shape, scope: ShapeScope): Shape {
  const path = pathOf(list.target, scope);
  const inner = withValues(list, scope);
  let isVisited = false;
  const run = (root: Shape): Shape => {
    isVisited = true;
    return list.body.reduce((shape, op) => transformShape(op, shape, inner), root);
  };
  // A path with `$` gives a matched list as one root. For any other path, each element of the list is a root.
  const give = (match: Shape): Shape =>
    path?.rooted === true
      ? run(match)
      : each(match, (one) => (one.type === "array" && !isNever(one.items) ? array(run(one.items)) : one.type === "array" ? one : run(one)));
  const isOpen = path === undefined || data.type === "any";
  const result = isOpen ? any : changedAt(path.steps.length === 0 ? data : containersOf(data), { path, give });
  // The markers of the list are evaluated even when the path matches nothing.
  if (!isVisited) run(any);
  return isOpen ? any : result;
}

/** The parsed path; undefined when it holds a marker. */
function pathOf(target: Expr, scope: ShapeScope): NodePath | undefined {
  exprShape(target, scope);
  if (target.op !== "lit" || (target.value !== null && typeof target.value !== "string")) return undefined;
  try {
    return nodePath(target.value);
  } catch (thrown) {
    // An invalid path was already reported at its place.
    if (thrown instanceof Reject) return undefined;
    throw thrown;
  }
}
