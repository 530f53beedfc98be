import { pointed } from "#runtime/shapes/json-schema.ts";
import { isObject, type Json, type JsonObject, own } from "#runtime/value/json.ts";

/** Keywords whose subschemas apply to the same value as the schema around them. */
const inPlace = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"] as const;

/** True when a schema applies itself to the same value again, so that a validator would never end. */
export function hasCycle(schema: Json): boolean {
  const anchors = anchorsOf(schema);
  const decided = new Set<JsonObject>();
  const open = new Set<JsonObject>();
  const leadsBack = (part: Json | undefined): boolean => {
    if (part === undefined || !isObject(part) || decided.has(part)) return false;
    if (open.has(part)) return true;
    open.add(part);
    const isCycle = samePlace(part, schema, anchors).some(leadsBack);
    open.delete(part);
    decided.add(part);
    return isCycle;
  };
  return [...everyPart(schema)].some(leadsBack);
}

/** The schemas that apply to the same value as this schema. */
export function samePlace(part: JsonObject, root: Json, anchors: ReadonlyMap<string, Json>): readonly (Json | undefined)[] {
  const parts = inPlace.flatMap((keyword) => {
    const value = own(part, keyword);
    if (value === undefined) return [];
    if (keyword === "dependentSchemas") return isObject(value) ? Object.values(value) : [];
    return Array.isArray(value) ? value : [value];
  });
  return [...parts, referred(own(part, "$ref"), root, anchors)];
}

function referred(reference: Json | undefined, root: Json, anchors: ReadonlyMap<string, Json>): Json | undefined {
  if (typeof reference !== "string") return undefined;
  return /^#[^/]/.test(reference) ? anchors.get(reference.slice(1)) : pointed(root, reference);
}

/** Parts of the schema by their anchors. */
export function anchorsOf(schema: Json): ReadonlyMap<string, Json> {
  const anchors = new Map<string, Json>();
  for (const part of everyPart(schema)) {
    const { $anchor: anchor, $dynamicAnchor: dynamicAnchor } = part;
    for (const name of [anchor, dynamicAnchor]) if (typeof name === "string") anchors.set(name, part);
  }
  return anchors;
}

/**
 * Every object inside the schema, the schema itself first: objects that are no schemas are given as well, because they have no keywords or
 * do no harm.
 */
function* everyPart(schema: Json): Generator<JsonObject> {
  const waiting: Json[] = [schema];
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (isObject(part)) yield part;
    if (typeof part === "object" && part !== null) waiting.push(...Object.values(part).filter((value) => value !== undefined));
  }
}
