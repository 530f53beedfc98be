import { isObject, type Json, type JsonObject, own } from "#runtime/value/json.ts";
import { anchorsOf, samePlace } from "./schema-cycle.ts";

/** A mistake in a schema, and where it is. */
export interface SchemaFault {
  /** The members and indices that lead from the root of the schema to the mistake. */
  readonly path: readonly string[];
  readonly reason: string;
  /** The remedy, when the schema is valid but ajv would decide it wrongly. */
  readonly remedy?: string;
}

/** Lists the parts of a valid schema that ajv would decide wrongly. */
export function misjudged(schema: Json): readonly SchemaFault[] {
  return schemasIn(schema, []).flatMap(({ part, path }) => [
    ...dynamicReference(part, path),
    ...containsBesideUnevaluated(part, path, schema),
    ...hiddenMembers(part, path),
  ]);
}

/** Finds a `$dynamicRef` that is left. In a schema without `$id` each `$dynamicRef` has become a `$ref`, except beside another `$ref`. */
function dynamicReference(part: JsonObject, path: readonly string[]): readonly SchemaFault[] {
  if (own(part, "$dynamicRef") === undefined) return [];
  const isBeside = own(part, "$ref") !== undefined;
  const [construct, remedy] = isBeside
    ? ["$dynamicRef beside $ref", "write the two as schemas of allOf"]
    : ["$dynamicRef in a schema with $id", "leave $id out, or write $ref and $anchor in place of $dynamicRef and $dynamicAnchor"];
  return [{ path: [...path, "$dynamicRef"], reason: construct, remedy }];
}

function containsBesideUnevaluated(part: JsonObject, path: readonly string[], root: Json): readonly SchemaFault[] {
  const rest = own(part, "unevaluatedItems");
  if (rest === undefined || rest === true) return [];
  const anchors = anchorsOf(root);
  const seen = new Set<Json>();
  const holds = (one: Json | undefined): boolean => {
    if (one === undefined || !isObject(one) || seen.has(one)) return false;
    seen.add(one);
    // Items that `contains` finds inside `not` do not count for other keywords.
    const { not: _, ...others } = one;
    return own(one, "contains") !== undefined || samePlace(others, root, anchors).some(holds);
  };
  const remedy = "write what the other items are as items, in place of unevaluatedItems";
  return holds(part) ? [{ path: [...path, "unevaluatedItems"], reason: "unevaluatedItems beside contains", remedy }] : [];
}

/** Keywords whose members have the names of members of the data, or patterns for these names. */
const nameKeywords = ["properties", "patternProperties", "dependentRequired", "dependentSchemas", "dependencies"] as const;

function hiddenMembers(part: JsonObject, path: readonly string[]): readonly SchemaFault[] {
  return nameKeywords.flatMap((keyword) => {
    const members = own(part, keyword);
    if (members === undefined || !isObject(members) || own(members, "__proto__") === undefined) return [];
    return [{ path: [...path, keyword], reason: `__proto__ in ${keyword}`, remedy: "give the member another name" }];
  });
}

export interface Part {
  readonly part: JsonObject;
  readonly path: readonly string[];
}

/** Keywords whose values neither are nor contain schemas. */
const plain: ReadonlySet<string> = new Set(["const", "enum", "default", "examples", "example", "required", "dependentRequired"]);

/** Keywords whose values are maps of schemas. Their keys are free names, not keywords. */
const maps: ReadonlySet<string> = new Set(["$defs", "definitions", ...nameKeywords]);

/** Every schema in a schema, with its place. */
export function schemasIn(schema: Json | undefined, path: readonly string[]): readonly Part[] {
  if (Array.isArray(schema)) return schema.flatMap((one, i) => schemasIn(one, [...path, String(i)]));
  if (schema === undefined || !isObject(schema)) return [];
  const inner = Object.entries(schema).flatMap(([keyword, value]) => {
    if (plain.has(keyword) || value === undefined) return [];
    if (!maps.has(keyword) || !isObject(value)) return schemasIn(value, [...path, keyword]);
    return Object.entries(value).flatMap(([name, one]) => schemasIn(one, [...path, keyword, name]));
  });
  return [{ part: schema, path }, ...inner];
}
