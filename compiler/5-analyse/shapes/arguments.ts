import type { ShapedArguments } from "#runtime/features/feature.ts";
import type { Expr } from "#runtime/plan/index.ts";
import type { Json } from "#runtime/value/json.ts";
import { exprShape } from "./exprs.ts";
import type { ShapeScope } from "./scope.ts";

export const argumentsOf = (args: Expr, scope: ShapeScope): ShapedArguments<Json> => ({
  ...(args.op === "lit" ? { known: args.value } : {}),
  shape: exprShape(args, scope),
});
