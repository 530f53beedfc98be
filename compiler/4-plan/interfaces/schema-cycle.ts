import { pointed } from "#runtime/shapes/json-schema.ts";
import { isObject, type Json, type JsonObject, own } from "#runtime/value/json.ts";

/** Keywords whose schemas judge the same value as the schema around them. */
const inPlace = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"] as const;

/** Finds a schema that is a part of itself for one and the same value: it could never be decided. */
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

/** The schemas that judge the value that this one judges. */
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

/** Every object inside the schema, the schema itself first: a value that is no schema has no keywords of one, or harms nothing. */
function* everyPart(schema: Json): Generator<JsonObject> {
  const waiting: Json[] = [schema];
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (isObject(part)) yield part;
    if (typeof part === "object" && part !== null) waiting.push(...Object.values(part).filter((value) => value !== undefined));
  }
}
