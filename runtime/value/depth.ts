import { Failure } from "./failure.ts";
import type { Json } from "./json.ts";
import { tooDeeplyNested } from "./too-large.ts";

/** Levels of a value that a filter takes. Values from outside have at most 128; the stack of jq ends before a thousand. */
const mostLevels = 512;

/** Values that are not too deep: nothing changes a value, so that a large one is walked once however many filters look at it. */
const shallow = new WeakSet<Json & object>();

/** Nodes that are walked in less time than it takes to look a value up. */
const few = 32;

/** Fails when the value has more levels than every filter can take, however it is run. */
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
