import type { Expr } from "#runtime/plan/index.ts";
import type { Shape } from "#runtime/shapes/shape.ts";
import type { Json } from "#runtime/value/json.ts";
import { exprShape } from "./exprs.ts";
import type { ShapeScope } from "./scope.ts";

/** Arguments before the run. `known` has their value when they hold no marker. */
export interface GivenArguments {
  readonly known?: Json;
  readonly shape: Shape;
}

export const argumentsOf = (args: Expr, scope: ShapeScope): GivenArguments => ({
  ...(args.op === "lit" ? { known: args.value } : {}),
  shape: exprShape(args, scope),
});
