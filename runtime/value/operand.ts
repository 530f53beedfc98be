/**
 * The detail of a matcher whose operand, a map, has a marker that is unset in one of its fields; undefined when it has none
 * (spec/language 6.3). A field that is absent does not count.
 */
export const unset = (operand: Readonly<Record<string, unknown>>): string | undefined =>
  Object.values(operand).includes(null) ? "expected value is not set" : undefined;
