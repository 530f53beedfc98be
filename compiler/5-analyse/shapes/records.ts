import { actions, transforms } from "#generated/features.ts";
import type { AnyFeature } from "#runtime/features/feature.ts";
import { any, never, type Shape, union } from "#runtime/shapes/shape.ts";
import type { Json, Step } from "#runtime/value/json.ts";
import type { GivenArguments } from "./arguments.ts";
import { spellings } from "./spellings.ts";

type Table = Readonly<Record<string, AnyFeature>>;

/** The shape that the record of a feature gives; open where it says nothing. The schema has vouched for the arguments. */
const recordShape = (table: Table, use: string, ...given: readonly unknown[]): Shape =>
  (Object.hasOwn(table, use) ? table[use]?.shape?.(...(given as never)) : undefined) ?? any;

/** The data of an action of that kind. */
export const callShape = (use: string, args: Shape): Shape => recordShape(actions, use, args);

/** The data that a failure of an action of that kind leaves. */
export const failureShape = (use: string): Shape => {
  const table: Table = actions;
  return (Object.hasOwn(table, use) ? table[use]?.failure?.() : undefined) ?? never;
};

/** The data after a transform. */
export const transformedShape = (use: string, data: Shape, args: GivenArguments): Shape =>
  union(...spellings(data, args.known).map((one) => recordShape(transforms, use, one, args)));

/** The paths that a transform expects to be there. */
export const expectedPaths = (use: string, args: Json): readonly (readonly Step[])[] => {
  const table: Table = transforms;
  return (Object.hasOwn(table, use) ? table[use]?.expects?.(args as never) : undefined) ?? []; // the schema has vouched for the arguments
};
