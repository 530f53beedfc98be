import type { BodyPlan } from "#runtime/plan/index.ts";
import { any, type Shape, string } from "#runtime/shapes/shape.ts";
import { exprShape } from "./exprs.ts";
import type { ShapeScope } from "./scope.ts";

/** A whole body as its reader gets it: text that is no JSON is itself. */
export function bodyShape({ as, of }: BodyPlan, scope: ShapeScope): Shape {
  const shape = exprShape(of, scope);
  switch (as) {
    case "value":
      return shape;
    case "text":
      return string;
    // A template is text here; its JSON is known only when its holes are filled.
    case "json_text":
      return any;
  }
}
