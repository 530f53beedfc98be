import type { JsonSchema } from "#runtime/features/feature.ts";

/** The names of the operations of a service: a field of the block is an operation when its schema is a record. */
export const operationsOf = ({ properties = {} }: JsonSchema): readonly string[] =>
  Object.entries(properties).flatMap(([key, { title }]) => (title === undefined ? [] : [key]));
