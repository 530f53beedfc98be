import type { Json } from "../value/json.ts";

// Says how transforms edit the members that they change (feature.ts `MemberEdit`).

/** The names that a transform edits; undefined when one of them is no name, or occurs twice. */
export function distinct(items: readonly unknown[]): ReadonlySet<string> | undefined {
  const names = items.filter(isName);
  const distinct = new Set(names);
  return distinct.size > 0 && distinct.size === items.length ? distinct : undefined;
}

/** New names by old ones; undefined when a name occurs twice, because the order of renaming would matter then. */
export function renaming(pairs: readonly (readonly [string, Json])[]): ReadonlyMap<string, string> | undefined {
  if (distinct(pairs.flat()) === undefined) return undefined;
  return new Map(pairs.map(([old, name]) => [old, String(name)]));
}

/**
 * True when a path of kind N is certainly nothing but the name of a root member, which the rows rule takes in each row
 * (spec/transforms 2.1).
 */
export const isPlainName = (path: unknown): path is string => typeof path === "string" && /^[A-Za-z_][\w-]*$/.test(path);

/** `__proto__` is not written like other names (json.ts `put`). */
const isName = (name: unknown): name is string => typeof name === "string" && name !== "__proto__";
