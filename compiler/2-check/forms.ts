import type { JsonSchema } from "#runtime/features/feature.ts";
import { numberPattern } from "#runtime/languages/schema/json-schema.ts";
import type { JsonType } from "#runtime/value/json.ts";
import type { Node, ScalarNode } from "../1-read/document.ts";
import { dereference, tellingKeys, typesOf } from "./schema.ts";
import type { Definitions } from "./shapes.ts";
import { moduleTitle } from "./skeleton.ts";

/** The form of a union that a node is meant to have: chosen by the kind of the node, else the usual form. */
export function meant(schema: JsonSchema, node: Node, definitions: Definitions): JsonSchema {
  const target = dereference(schema, definitions);
  if (target.anyOf === undefined) return target;
  const { anyOf } = target;
  const fits = (branch: JsonSchema): boolean => {
    const types = typesOf(branch, definitions);
    if (types.length > 0 && !types.includes(typeOfNode(node))) return false;
    const keys = tellingKeys(branch, anyOf, definitions);
    return keys === undefined || node.kind !== "map" || node.entries.some(({ key }) => keys.includes(key));
  };
  const branch = anyOf.find(fits) ?? anyOf[0];
  return branch === undefined ? target : meant(branch, node, definitions);
}

/** The schema of a member of a record or map; undefined for a free map, about whose members nothing is known. */
export function member(form: JsonSchema, key: string): JsonSchema {
  const own = form.properties !== undefined && Object.hasOwn(form.properties, key) ? form.properties[key] : undefined;
  if (own !== undefined) return own;
  return typeof form.additionalProperties === "object" ? form.additionalProperties : {};
}

export function typeOfNode(node: Node): JsonType {
  if (node.kind === "list") return "array";
  if (node.kind === "map") return "object";
  const type = typeof node.value;
  return type === "boolean" || type === "number" || type === "string" ? type : "null";
}

/** Names the values that a schema takes, in the words of messages: a type, the name of a form, or `one of a, b`. */
export function expectation(schema: JsonSchema, definitions: Definitions): string {
  const words = wordsOf(schema, definitions);
  const others = wants(schema, definitions);
  return alternatives([...(words.length === 0 ? [] : [`one of ${words.join(", ")}`]), ...others]);
}

/** The words that a schema lists. */
export function wordsOf(schema: JsonSchema, definitions: Definitions): readonly string[] {
  const { anyOf, enum: words } = dereference(schema, definitions);
  if (anyOf !== undefined) return anyOf.flatMap((branch) => wordsOf(branch, definitions));
  return words === undefined ? [] : words.map(String);
}

function wants(schema: JsonSchema, definitions: Definitions): readonly string[] {
  const target = dereference(schema, definitions);
  if (target.enum !== undefined) return [];
  if (target.anyOf !== undefined) return [...new Set(target.anyOf.flatMap((branch) => wants(branch, definitions)))];
  if (target.format === "duration") return ["duration"];
  if (target.pattern === numberPattern) return ["number"];
  if (target.pattern !== undefined) return [target.title ?? `text matching ${target.pattern}`];
  return typesOf(target, definitions);
}

function alternatives(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? "another value") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

/** The forms that a value may have, through references and unions. */
export const formsOf = (schema: JsonSchema, definitions: Definitions): readonly JsonSchema[] => {
  const target = dereference(schema, definitions);
  return target.anyOf === undefined ? [target] : target.anyOf.flatMap((branch) => formsOf(branch, definitions));
};

/** The original schema of the items: the validator keeps it as `union`. */
const writtenOf = (items: JsonSchema & { readonly union?: JsonSchema }): JsonSchema => items.union ?? items;

/** True when a list with this node as its only item would be right. */
export const takesItem = (schema: JsonSchema, node: Node, definitions: Definitions): boolean =>
  formsOf(schema, definitions)
    .flatMap(({ items }) => (items === undefined ? [] : formsOf(writtenOf(items), definitions)))
    // A text cannot be such an item alone, since it would have to name a module.
    .some((item) => item.title !== moduleTitle && typesOf(item, definitions).includes(typeOfNode(node)));

/** The only key that a record needs, when that can be the scalar: `http: https://example.com`, `retry: 3`. */
export function soleKey(schema: JsonSchema, definitions: Definitions, node: ScalarNode): string | undefined {
  const [form, ...others] = formsOf(schema, definitions).filter(({ properties }) => properties !== undefined);
  // The validator's copy of a record says less of its members.
  const record = Object.hasOwn(definitions, form?.title ?? "") ? definitions[form?.title ?? ""] : form;
  const [key, ...more] = record?.required ?? [];
  if (record === undefined || key === undefined || others.length + more.length > 0) return undefined;
  const value = record.properties?.[key] ?? {};
  const words = wordsOf(value, definitions);
  const types = typesOf(value, definitions);
  const fits = types.length === 0 || types.includes(typeOfNode(node)) || (types.includes("integer") && Number.isInteger(node.value));
  return fits && (words.length === 0 || words.includes(String(node.value))) ? key : undefined;
}
