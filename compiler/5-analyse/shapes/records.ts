import type { ShapedArguments } from "#runtime/features/feature.ts";
import { any, never, type Shape, union } from "#runtime/shapes/shape.ts";
import type { Json, Step } from "#runtime/value/json.ts";
import { recordOf } from "../../records.ts";
import { spellings } from "./spellings.ts";

// The shapes that records of features state. A record that states none says nothing: its data may be anything.

/** The data of an action of that kind. */
export const callShape = (use: string, args: Shape): Shape => recordOf("actions", use).shape?.(args) ?? any;

/** The data after a failure of an action of that kind. */
export const failureShape = (use: string): Shape => recordOf("actions", use).failure?.() ?? never;

/** The data after a transform. */
export const transformedShape = (use: string, data: Shape, args: ShapedArguments<Json>): Shape =>
  union(...spellings(data, args.known).map((one) => recordOf("transforms", use).shape?.(one, args) ?? any));

/** The paths that a transform expects to be there. */
export const expectedPaths = (use: string, args: Json): readonly (readonly Step[])[] => recordOf("transforms", use).expects?.(args) ?? [];
