import { type NodePath, nodePath } from "#runtime/paths/path.ts";
import type { Expr, NestedPlan, TransformOp } from "#runtime/plan/index.ts";
import { containersOf } from "#runtime/shapes/edit.ts";
import { changedAt, nodesIn } from "#runtime/shapes/place.ts";
import { any, array, each, isNever, narrowed, type Shape } from "#runtime/shapes/shape.ts";
import { Reject } from "#runtime/value/failure.ts";
import { argumentsOf } from "./arguments.ts";
import { exprShape } from "./exprs.ts";
import { followExpected } from "./follow.ts";
import { expectedPaths, transformedShape } from "./records.ts";
import type { ShapeScope } from "./scope.ts";
import { afterTests } from "./tests.ts";

/** The data after one entry of `post_transforms`. */
export function transformShape(op: TransformOp, data: Shape, outer: ShapeScope): Shape {
  const scope: ShapeScope = { ...outer, at: op.at ?? outer.at };
  switch (op.op) {
    case "transform": {
      const args = argumentsOf(op.args, scope);
      for (const path of args.known === undefined ? [] : expectedPaths(op.use, args.known)) {
        const { missing, slip, shape } = followExpected(data, path);
        scope.note.expected(op.use, path, { missing, slip, of: scope.self ?? "the data" }, scope.at);
        if (scope.at !== undefined) scope.watch?.({ at: scope.at, of: data, path, shape, into: "rows" });
      }
      return transformedShape(op.use, data, args);
    }
    case "filter": {
      const path = pathOf(op.target, scope);
      const item = path === undefined ? any : itemsOf(nodesIn(data, path));
      afterTests(op.tests, any, { ...withValues(op, scope), item });
      // Elements are left out, and none is changed.
      return data;
    }
    case "nest":
      return op.lists.reduce<Shape>((shape, list) => nestedShape(list, shape, scope), data);
  }
}

/** The values of markers, which are the same for all elements. An op inside another one sees the values of that one. */
const withValues = ({ values }: { readonly values?: readonly Expr[] }, scope: ShapeScope): ShapeScope =>
  values === undefined ? scope : { ...scope, values: values.map((value) => exprShape(value, scope)) };

function itemsOf(lists: Shape): Shape {
  const arrays = narrowed(lists, ({ type }) => type === "array");
  return arrays.type === "array" ? arrays.items : any;
}

/** Transforms of all that a path matches, each a root of its own, as runtime/run/steps/nested.ts runs them. */
function nestedShape(list: NestedPlan, data: Shape, scope: ShapeScope): Shape {
  const path = pathOf(list.target, scope);
  const inner = withValues(list, scope);
  let isVisited = false;
  const run = (root: Shape): Shape => {
    isVisited = true;
    return list.body.reduce((shape, op) => transformShape(op, shape, inner), root);
  };
  // A path with `$` that matches a list gives it as one root; for any other path each of its elements is one.
  const give = (match: Shape): Shape =>
    path?.rooted === true
      ? run(match)
      : each(match, (one) => (one.type === "array" && !isNever(one.items) ? array(run(one.items)) : one.type === "array" ? one : run(one)));
  const isOpen = path === undefined || data.type === "any";
  const result = isOpen ? any : changedAt(path.steps.length === 0 ? data : containersOf(data), { path, give });
  // The markers of the list are read, whether anything matches or not.
  if (!isVisited) run(any);
  return isOpen ? any : result;
}

/** A path that is written as it is. */
function pathOf(target: Expr, scope: ShapeScope): NodePath | undefined {
  exprShape(target, scope);
  if (target.op !== "lit" || (target.value !== null && typeof target.value !== "string")) return undefined;
  try {
    return nodePath(target.value);
  } catch (thrown) {
    // A path that is none was reported where it stands.
    if (thrown instanceof Reject) return undefined;
    throw thrown;
  }
}
