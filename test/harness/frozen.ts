import type { Json } from "#runtime/value/json.ts";

/** Freezes a value at all depths, so that code that tries to change it throws. */
export function frozen<V extends Json>(value: V): V {
  if (typeof value === "object" && value !== null) {
    for (const item of Object.values(value)) frozen(item);
    Object.freeze(value);
  }
  return value;
}
