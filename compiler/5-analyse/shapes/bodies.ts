import type { BodyPlan } from "#runtime/plan/index.ts";
import { type Shape, string } from "#runtime/shapes/shape.ts";
import { exprShape } from "./exprs.ts";
import { jsonTextShape } from "./json-texts.ts";
import type { ShapeScope } from "./scope.ts";

/** The shape of a whole body as its reader gets it. Text that is no JSON stays text. */
export function bodyShape({ as, of }: BodyPlan, scope: ShapeScope): Shape {
  switch (as) {
    case "value":
      return exprShape(of, scope);
    case "text":
      exprShape(of, scope);
      return string;
    case "json_text":
      return jsonTextShape(of, scope);
  }
}
