import type { Json, JsonObject } from "../json.ts";

/** Deepest nesting of a JSON text from outside (surfaces.md 1): whatever walks the value later may do so recursively. */
const maxDepth = 128;

/**
 * The value of a JSON text from outside; undefined when it is none, nested too deep, or holds a number
 * that is too large for one (transforms.md 1). A byte order mark is ignored.
 */
export function parseJson(text: string): Json | undefined {
  let value: Json;
  try {
    value = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch {
    return undefined;
  }
  return isUnfit(value, maxDepth) ? undefined : value;
}

/** One JSON document a line, blank lines ignored; undefined when a line is none. */
export function parseJsonLines(text: string): Json[] | undefined {
  const values: Json[] = [];
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const value = parseJson(line);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

/** Nested deeper than that, or with a number that is none: `1e999` is JSON, but would be an infinity. */
const isUnfit = (value: Json | undefined, levels: number): boolean =>
  typeof value === "number" ? !Number.isFinite(value) : typeof value === "object" && value !== null && holdsUnfit(value, levels);

function holdsUnfit(value: Json[] | JsonObject, levels: number): boolean {
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    // Every row of every body comes by here: a loop takes half the time of `some`.
    for (const item of value) if (isUnfit(item, levels - 1)) return true;
    return false;
  }
  for (const key in value) if (isUnfit(value[key], levels - 1)) return true;
  return false;
}
