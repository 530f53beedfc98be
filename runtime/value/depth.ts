import { Failure } from "./failure.ts";
import type { Json } from "./json.ts";
import { tooDeeplyNested } from "./too-large.ts";

/** Deepest nesting of a value for a filter. Values from outside have at most 128 levels; the stack of jq ends before a thousand. */
const mostLevels = 512;

/** Large values that were found not to be too deep. Values never change, so each is walked once for all filters. */
const shallow = new WeakSet<Json & object>();

/** Nodes of a value that is walked in less time than a look-up takes. */
const few = 32;

/** Fails when the value has more levels than every filter can take, interpreted or compiled. */
export function notTooDeep(value: Json): void {
  if (isTooDeep(value)) throw new Failure("evaluation", `jq: ${tooDeeplyNested}`);
}

export function isTooDeep(value: Json): boolean {
  if (typeof value !== "object" || value === null || shallow.has(value)) return false;
  const walk = { nodes: 0 };
  if (isDeeper(value, mostLevels, walk)) return true;
  if (walk.nodes > few) shallow.add(value);
  return false;
}

function isDeeper(value: Json & object, levels: number, walk: { nodes: number }): boolean {
  if (levels === 0) return true;
  walk.nodes += 1;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object" && item !== null && isDeeper(item, levels - 1, walk)) return true;
    return false;
  }
  for (const key in value) {
    const item = value[key];
    if (typeof item === "object" && item !== null && isDeeper(item, levels - 1, walk)) return true;
  }
  return false;
}
