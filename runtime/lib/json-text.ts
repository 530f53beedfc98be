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
  if (/[eE]\+?\d{3}|\d{309}/.test(text) && isInfinite(value)) return undefined;
  // A text of n levels has at least 2n characters: small bodies are not walked.
  return text.length > 2 * maxDepth && isDeeper(value, maxDepth) ? undefined : value;
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

function isDeeper(value: Json | undefined, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeper(item, levels - 1));
  for (const key in value) if (isDeeper(value[key], levels - 1)) return true;
  return false;
}

/** `1e999` is JSON, but would be an infinity, which is none. */
function isInfinite(value: Json): boolean {
  const values: Json[] = [value];
  for (let at = values.pop(); at !== undefined; at = values.pop()) {
    if (typeof at === "number" && !Number.isFinite(at)) return true;
    if (typeof at === "object" && at !== null) for (const child of Object.values(at)) values.push(child);
  }
  return false;
}
