import { any, never, type Shape, union } from "#runtime/shapes/shape.ts";
import type { Json, Step } from "#runtime/value/json.ts";
import { recordOf } from "../../records.ts";
import type { GivenArguments } from "./arguments.ts";
import { spellings } from "./spellings.ts";

/** The shape that the record of a feature states; `any` when it states none. The schema has already checked the arguments. */
const recordShape = (kind: "actions" | "transforms", use: string, ...given: readonly unknown[]): Shape =>
  recordOf(kind, use).shape?.(...(given as never)) ?? any;

/** The data of an action of that kind. */
export const callShape = (use: string, args: Shape): Shape => recordShape("actions", use, args);

/** The data after a failure of an action of that kind. */
export const failureShape = (use: string): Shape => recordOf("actions", use).failure?.() ?? never;

/** The data after a transform. */
export const transformedShape = (use: string, data: Shape, args: GivenArguments): Shape =>
  union(...spellings(data, args.known).map((one) => recordShape("transforms", use, one, args)));

/** The paths that a transform expects to be there. */
export const expectedPaths = (use: string, args: Json): readonly (readonly Step[])[] =>
  recordOf("transforms", use).expects?.(args as never) ?? []; // the schema has checked the arguments
