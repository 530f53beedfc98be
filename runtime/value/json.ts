/** A value as JSON knows it: the only type of flowing data. `null` is also what an unset marker reads as (spec/language 2.1). */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/** The names that error texts and diagnostics use for the type of a value (spec/transforms 7). */
export type JsonType = "null" | "boolean" | "number" | "string" | "array" | "object";

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value if it is an object; otherwise an object without members. */
export const asObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

/** The value if it is a list; otherwise an empty list. */
export const asList = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

/** The type of a value by its JSON name. */
export function typeOf(value: Json): JsonType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "object" || type === "boolean" || type === "number" ? type : "string";
}

/** Reads a key that may come from a user: inherited names such as `constructor` are absent. */
export function own<V>(object: Readonly<Record<string, V>>, key: string): V | undefined {
  const value = object[key];
  // A plain object inherits only functions and `__proto__`. `hasOwn`, which costs as much as the read, is called only for those.
  if (value !== undefined && typeof value !== "function" && key !== "__proto__") return value;
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/**
 * Most characters of a name that a feature makes. V8 tells longer texts apart only by their length and then character by character: many
 * names of one length would take quadratic time.
 */
export const longestName = 16_383;

/** Sets a key that may come from a user: `__proto__` becomes an ordinary own key instead of the prototype. */
export function put<V>(object: Record<string, V>, key: string, value: V): void {
  if (key === "__proto__") Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
  else object[key] = value;
}

/** A step of a path: an object key, or an array index (negative: from the end). A key of digits also indexes arrays. */
export type Step = string | number;
