import type { ShapedArguments } from "../features/feature.ts";
import { isKey } from "../paths/nodes.ts";
import type { NodePath } from "../paths/path.ts";
import { argument, keyed, ofText, pathIn, placesOf } from "./arguments.ts";
import { changedAt, nodesBelow, stepsFor } from "./place.ts";
import { alternatives, any, array, byType, isNever, narrowed, never, nothing, notNull, type Shape, union } from "./shape.ts";

/** The shape of the result of a conversion (paths/conversion.ts), where `give` tells the shape of a converted match. */
export function conversionShape(data: Shape, { shape: args }: ShapedArguments<unknown>, give: (value: Shape) => Shape): Shape {
  const isText = alternatives(args).some(({ type }) => type === "string");
  const isOptions = alternatives(args).some(({ type }) => type === "object");
  if (isText === isOptions) return any;
  const path = pathIn(isText ? args : argument(args, "json_path"));
  if (path === undefined) return any;
  const key = isText ? nothing : argument(args, "key");
  const [inPlace, elsewhere] = [narrowed(key, ({ type }) => type === "null"), notNull(key)];
  const changed = isNever(inPlace) ? never : changedAt(data, { path, must: true, give });
  return isNever(elsewhere) ? changed : union(changed, written(data, path, elsewhere, give));
}

/** The data with the converted matches under a key: a list when the path may match several values. */
function written(data: Shape, path: NodePath, key: Shape, give: (value: Shape) => Shape): Shape {
  return byType(data, (one) => {
    const steps = stepsFor(one, path);
    const result = give(nodesBelow(one, steps, path.rooted));
    return keyed(one, key, steps.every(isKey) ? result : array(result), path.steps.length === 0);
  });
}

/** The shape of the result of a conversion that takes only texts. */
export const textConversionShape = (data: Shape, args: ShapedArguments<unknown>, result: Shape): Shape =>
  conversionShape(data, args, ofText(result));

/** The places that a conversion reads. */
export const conversionExpects = (args: string | null | { readonly json_path: string | null }): ReturnType<typeof placesOf> =>
  placesOf([args !== null && typeof args === "object" ? args.json_path : args]);
