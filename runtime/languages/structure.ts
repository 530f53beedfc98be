import type { JsonSchema, MatcherOptions } from "../features/feature.ts";
import { elementPath, memberPath } from "../paths/member-path.ts";
import { Reject } from "../value/failure.ts";
import { isObject, type Json, type JsonObject, own, typeOf } from "../value/json.ts";
import { show } from "../value/show.ts";

/** The types of leaves. */
export const leafTypes = ["String", "Number", "Boolean", "Array", "Object", "Null", "Any"] as const;
export type LeafType = (typeof leafTypes)[number];

/** The value that `verify_schema` expects (spec/language 6.5): a leaf, an object with members, or a list with elements by position. */
export type Structure =
  | { readonly type: LeafType }
  | { readonly members: readonly (readonly [string, Structure])[] }
  | { readonly elements: readonly Structure[] };

/**
 * A map whose `type` is text is a leaf, any other map has members of those names; `type: Null` is null for YAML. An unknown type is PW423.
 */
export function structureOf(node: Json): Structure {
  if (Array.isArray(node)) return { elements: node.map(structureOf) };
  if (!isObject(node)) throw new Reject("PW114", `'structure': expected a map or a list, got ${typeOf(node)}`);
  const type = own(node, "type");
  if (type === null) return { type: "Null" };
  if (typeof type !== "string") return { members: Object.entries(node).map(([key, value]) => [key, structureOf(value)]) };
  const leaf = leafTypes.find((word) => word === type);
  if (leaf === undefined) throw new Reject("PW423", `unknown schema type '${show(type)}'`);
  return { type: leaf };
}

/** A mistake at one place: its entries in the list of errors, and the status that a failed test of the place asks for. */
export interface Flaw {
  readonly errors: readonly string[];
  readonly code?: number | undefined;
  readonly isUnknownKey?: true;
}

export interface Rules {
  /** Keys that the structure does not name are flaws. */
  readonly isClosed: boolean;
  readonly leaves: NonNullable<MatcherOptions["leaves"]>;
}

/** Why a value is not of the expected kind, without a look inside; undefined when it is. An absent value is not even `Any`. */
export function misfit(value: Json | undefined, structure: Structure): string | undefined {
  const expected = "type" in structure ? structure.type : "members" in structure ? "Object" : "Array";
  const actual = value === undefined ? "missing" : leafTypeOf(value);
  return actual === expected || (expected === "Any" && actual !== "missing") ? undefined : `expected ${expected}, got ${actual}`;
}

const leafTypeOf = (value: Json): string => typeOf(value).replace(/^./, (first) => first.toUpperCase());

/**
 * Finds the mistakes of a value and, where it fits, those inside it, in the order of the structure. A leaf is tested when its type is
 * right.
 */
export function flaws(value: Json | undefined, structure: Structure, path: string, rules: Rules): readonly Flaw[] {
  const wrong = misfit(value, structure);
  if (wrong !== undefined) return [{ errors: [`${path}::verify_schema: ${wrong}`] }];
  if ("type" in structure) return leafFlaws(path, rules);
  if (Array.isArray(value) && "elements" in structure) {
    return structure.elements.flatMap((element, i) => flaws(value[i], element, elementPath(path, i), rules));
  }
  if (!isObject(value) || !("members" in structure)) return [];
  const { members } = structure;
  const inside = members.flatMap(([key, member]) => flaws(own(value, key), member, memberPath(path, key), rules));
  return rules.isClosed ? [...inside, ...unknownKeys(value, members, path)] : inside;
}

function leafFlaws(path: string, { leaves }: Rules): readonly Flaw[] {
  const result = own(leaves, path)?.() ?? null;
  return result !== null && "errors" in result ? [result] : [];
}

function unknownKeys(value: JsonObject, members: readonly (readonly [string, Structure])[], path: string): readonly Flaw[] {
  return Object.keys(value)
    .filter((key) => !members.some(([member]) => member === key))
    .map((key) => ({ errors: [`${memberPath(path, key)}::verify_schema: unknown key`], isUnknownKey: true }));
}

/** The structure as JSON Schema: every member that is listed is required. */
export function schemaOf(structure: Structure, isClosed: boolean): JsonSchema {
  if ("type" in structure) return structure.type === "Any" ? {} : { type: structure.type.toLowerCase() };
  if ("elements" in structure) {
    const prefixItems = structure.elements.map((element) => schemaOf(element, isClosed));
    return { type: "array", prefixItems, minItems: prefixItems.length };
  }
  return {
    type: "object",
    ...(isClosed ? { additionalProperties: false } : {}),
    properties: Object.fromEntries(structure.members.map(([key, member]) => [key, schemaOf(member, isClosed)])),
    required: structure.members.map(([key]) => key),
  };
}
