import type { Json } from "../json.ts";

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
  // A text of n levels has at least 2n characters, and so few digits need an exponent to be too large: most small ones are not walked.
  const isSound = text.length > 2 * maxDepth ? isBounded(value, maxDepth) : !/[eE]\+?\d{2}/.test(text) || isBounded(value, maxDepth);
  return isSound ? value : undefined;
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

/** No deeper than that, and without infinities: `1e999` is JSON, but would be one, which is none. */
function isBounded(value: Json, levels: number): boolean {
  if (typeof value !== "object" || value === null) return isScalar(value);
  if (levels === 0) return false;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object" ? !isBounded(item, levels - 1) : !isScalar(item)) return false;
    return true;
  }
  for (const key in value) {
    const item = value[key] ?? null;
    if (typeof item === "object" ? !isBounded(item, levels - 1) : !isScalar(item)) return false;
  }
  return true;
}

const isScalar = (value: Json): boolean => typeof value !== "number" || Number.isFinite(value);
