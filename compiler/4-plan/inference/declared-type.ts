import type { Step } from "#runtime/plan/index.ts";
import { asList, isObject, type Json, type JsonObject, own, typeOf } from "#runtime/value/json.ts";

// This file reads the type of one member from a contract, without validating any data.

/** The most levels of references and alternatives that are followed, so that a schema that refers to itself has no type. */
const maxDepth = 12;

/** The types that a JSON Schema admits at a path; undefined when the schema states no type. */
export function declaredTypes(schema: Json | undefined, path: readonly Step[]): readonly string[] | undefined {
  if (schema === undefined) return undefined;
  const place = path.reduce<readonly Json[]>((at, step) => at.flatMap((one) => members(one, step, schema, 0)), [schema]);
  return narrowest(place.map((one) => typesOf(one, schema, 0)));
}

/** The schemas of a member, all of which apply to it. */
function members(schema: Json, step: Step, root: Json, depth: number): readonly Json[] {
  if (!isObject(schema) || depth > maxDepth) return [];
  return [...direct(schema, step), ...combined(schema, root).flatMap((one) => members(one, step, root, depth + 1))];
}

function direct(schema: JsonObject, step: Step): readonly Json[] {
  const { properties, items, prefixItems, additionalProperties } = schema;
  if (typeof step === "number" || /^\d+$/.test(step)) {
    const index = Number(step);
    const first = Array.isArray(prefixItems) && index >= 0 ? prefixItems[index] : undefined;
    if (first !== undefined) return [first];
    if (isObject(items)) return [items];
  }
  const member = isObject(properties) ? own(properties, String(step)) : undefined;
  if (member !== undefined) return [member];
  return isObject(additionalProperties) ? [additionalProperties] : [];
}

/** The further schemas that apply to the same value: the target of `$ref`, and every part of `allOf`. */
function combined({ $ref, allOf }: JsonObject, root: Json): readonly Json[] {
  return [...(typeof $ref === "string" ? referred(root, $ref) : []), ...asList(allOf)];
}

function typesOf(schema: Json, root: Json, depth: number): readonly string[] | undefined {
  if (!isObject(schema) || depth > maxDepth) return undefined;
  const inner = (one: Json): readonly string[] | undefined => typesOf(one, root, depth + 1);
  const { type, enum: words, const: constant, anyOf, oneOf } = schema;
  const names = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === "string");
  const values = Array.isArray(words) ? words : constant === undefined ? [] : [constant];
  const choices = [anyOf, oneOf].filter((one) => Array.isArray(one)).map((one) => union(one.map(inner)));
  return narrowest([
    names.length === 0 ? undefined : names,
    values.length === 0 ? undefined : [...new Set(values.map(typeOf))],
    ...choices,
    ...combined(schema, root).map(inner),
  ]);
}

/** The types of all alternatives, when each alternative states its types. */
const union = (all: readonly (readonly string[] | undefined)[]): readonly string[] | undefined =>
  all.includes(undefined) ? undefined : [...new Set(all.flatMap((types) => types ?? []))];

const narrowest = (all: readonly (readonly string[] | undefined)[]): readonly string[] | undefined =>
  all.filter((types) => types !== undefined).sort((a, b) => a.length - b.length)[0];

/** The schema that a reference such as `#/$defs/User` names. References to other documents are unknown. */
function referred(root: Json, target: string): readonly Json[] {
  if (!target.startsWith("#")) return [];
  const steps = target
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  const part = steps.reduce<Json | undefined>((at, step) => (isObject(at) ? own(at, step) : undefined), root);
  return part === undefined ? [] : [part];
}
