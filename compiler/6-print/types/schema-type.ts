import { isObject, type Json, type JsonObject, own } from "#runtime/value/json.ts";
import { type Code, code, comment, deeper, empty, list, lit, name, property } from "../code.ts";
import { type Names, pascal } from "../names.ts";

/** A printed type, and its outermost operator that binds weaker than `[]`, if it has one. */
interface Type {
  readonly text: Code;
  readonly operator?: "|" | "&";
}

/** Gives the name of the type for a reference in the schema; undefined if the reference leads nowhere. */
type Resolve = (reference: string) => Code | undefined;

const unknown: Type = { text: code`unknown` };

/**
 * Exported types for a JSON Schema: `type` for the whole, and one for each part that a reference names. Keywords that TypeScript has no
 * type for, such as a pattern, are left out. Further members are always allowed, but the types do not say so, because that would hide the
 * named members.
 */
export function schemaTypes(schema: Json, type: string, names: Names): Code {
  const chosen = new Map<string, Code>([["#", name(type)]]);
  const declarations: Code[] = [];
  const resolve: Resolve = (reference) => {
    const steps = stepsOf(reference);
    if (steps === undefined || partAt(schema, steps) === undefined) return undefined;
    const typeName = chosen.get(reference) ?? names.fresh(`${type}${pascal(steps.at(-1) ?? "")}`);
    chosen.set(reference, typeName);
    return typeName;
  };
  // The list grows during the loop, because a part may refer to further parts.
  for (const [reference, its] of chosen) declarations.push(declaration(its, partAt(schema, stepsOf(reference) ?? []) ?? true, resolve));
  return list(declarations, "\n\n");
}

/** The keys and indices of a JSON Pointer within the schema. */
function stepsOf(reference: string): readonly string[] | undefined {
  if (!/^#(?:\/|$)/.test(reference)) return undefined;
  try {
    const steps = decodeURIComponent(reference.slice(1)).split("/").slice(1);
    return steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

function partAt(schema: Json, steps: readonly string[]): Json | undefined {
  let part: Json | undefined = schema;
  for (const step of steps) {
    if (Array.isArray(part)) part = /^\d+$/.test(step) ? part[Number(step)] : undefined;
    else part = isObject(part) ? own(part, step) : undefined;
  }
  return part;
}

function declaration(type: Code, schema: Json, resolve: Resolve): Code {
  // A type may not be an alias of itself, nor of a union that contains it, so such references are left out.
  const parts = partsOf(schema, resolve, (reference) => differing(resolve(reference), type));
  const [only, ...more] = parts;
  const above = isObject(schema) ? aboutOf(schema) : empty;
  if (only !== undefined && more.length === 0 && hasMembers(only)) return code`${above}export interface ${type} ${only.text}`;
  return code`${above}${labelled(code`export type ${type} =`, intersection(parts))};`;
}

/** True for a type with one list of members, which can be printed as `interface`: neither a union nor a list of objects. */
const hasMembers = ({ text, operator }: Type): boolean => operator === undefined && text.startsWith("{\n") && text.endsWith("\n}");

const differing = (one: Code | undefined, other: Code): Code | undefined => (one === other ? undefined : one);

const typeOf = (schema: Json, resolve: Resolve): Type => intersection(partsOf(schema, resolve));

/**
 * The types that the keywords of a schema demand, one for each keyword; a value has all of them. `itself` resolves references that describe
 * the value as a whole, `resolve` those inside its members and items.
 */
function partsOf(schema: Json, resolve: Resolve, itself = resolve): readonly Type[] {
  if (schema === false) return [{ text: code`never` }];
  if (!isObject(schema)) return [];
  const parts: Type[] = [];
  const { $ref, enum: values, anyOf, oneOf, allOf } = schema;
  if (typeof $ref === "string") parts.push({ text: itself($ref) ?? unknown.text });
  if (schema.const !== undefined) parts.push({ text: lit(schema.const) });
  else if (Array.isArray(values)) parts.push(union(values.map((value) => ({ text: lit(value) }))));
  else parts.push(...structure(schema, resolve));
  for (const choices of [anyOf, oneOf])
    if (Array.isArray(choices)) parts.push(union(choices.map((choice) => intersection(partsOf(choice, resolve, itself)))));
  if (Array.isArray(allOf)) parts.push(...allOf.flatMap((part) => partsOf(part, resolve, itself)));
  return parts;
}

/** The levels of a schema that the analysis reads completely. */
const deepest = 10;

/**
 * True when the type of a schema says no more than the analysis knows (`schemaShape`). Such a schema implies no list, gives no members by
 * patterns, and has no parts that could contradict each other. It also has no references, because the analysis may have left them open.
 */
export function isExact(schema: Json | undefined, depth = 0): boolean {
  if (!isObject(schema ?? null)) return true;
  const { type, $ref, properties, patternProperties, required, items, prefixItems, additionalProperties, ...more } = schema as JsonObject;
  const { anyOf, oneOf, allOf, const: value, enum: values = value } = more;
  const isOpen = [$ref, patternProperties, allOf].some((each) => each !== undefined) || depth === deepest;
  const isImplied = type === undefined && (items !== undefined || prefixItems !== undefined);
  const claims = [type ?? properties ?? required ?? values, anyOf, oneOf].filter((each) => each !== undefined);
  const parts = [Object.values(properties ?? {}), items, prefixItems, additionalProperties, anyOf, oneOf].flat();
  return !isOpen && !isImplied && claims.length < 2 && parts.every((part) => isExact(part, depth + 1));
}

/** The type that the keyword `type` names, with members or items; without `type`, the type that follows from the members or items. */
function structure(schema: JsonObject, resolve: Resolve): readonly Type[] {
  const { type } = schema;
  const kinds = Array.isArray(type) ? type : [type ?? implied(schema)];
  const types = kinds.map((kind) => typeOfKind(kind, schema, resolve));
  return types.length === 0 ? [] : [union(types)];
}

function implied(schema: JsonObject): Json {
  if (isObject(schema.properties) || isObject(schema.patternProperties) || isObject(schema.additionalProperties)) return "object";
  if (Array.isArray(schema.required) && schema.required.length > 0) return "object";
  return isObject(schema.items) || Array.isArray(schema.prefixItems) ? "array" : null;
}

function typeOfKind(kind: Json, schema: JsonObject, resolve: Resolve): Type {
  switch (kind) {
    case "string":
      return { text: code`string` };
    case "number":
    case "integer":
      return { text: code`number` };
    case "boolean":
      return { text: code`boolean` };
    case "null":
      return { text: code`null` };
    case "array":
      return { text: code`${bracketed(itemOf(schema, resolve))}[]` };
    case "object":
      return { text: objectType(schema, resolve) };
    default:
      return unknown;
  }
}

/** Items at fixed places may be missing, so the type of an item is a union of all item types. */
function itemOf({ items, prefixItems }: JsonObject, resolve: Resolve): Type {
  const rest = items === undefined || Array.isArray(items) ? unknown : typeOf(items, resolve);
  return Array.isArray(prefixItems) ? union([...prefixItems.map((item) => typeOf(item, resolve)), rest]) : rest;
}

const anyObject = code`Record<string, unknown>`;

function objectType(schema: JsonObject, resolve: Resolve): Code {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required.filter((key) => typeof key === "string") : [];
  const members = [...new Set([...Object.keys(properties), ...required])].map((key) => {
    const member = own(properties, key) ?? true;
    const about = isObject(member) ? aboutOf(member) : empty;
    return code`${about}${labelled(code`${property(key)}${required.includes(key) ? empty : code`?`}:`, typeOf(member, resolve))}`;
  });
  const others = otherMembers(schema, resolve);
  // In TypeScript the type of an index signature must include the types of all named members.
  if (others !== undefined) members.push(code`[name: string]: ${members.length === 0 ? others.text : unknown.text}`);
  if (members.length === 0) return anyObject;
  return code`{${list(
    members.map((member) => code`\n  ${deeper(member, "  ")};`),
    "",
  )}\n}`;
}

/** The type of members that are allowed under any name, or under names of a pattern. */
function otherMembers({ additionalProperties, patternProperties }: JsonObject, resolve: Resolve): Type | undefined {
  const schemas = isObject(patternProperties) ? Object.values(patternProperties) : [];
  if (isObject(additionalProperties) || additionalProperties === true) schemas.push(additionalProperties);
  return schemas.length === 0 ? undefined : union(schemas.map((schema) => typeOf(schema, resolve)));
}

const nothing: Type = { text: code`never` };

/** A value of one of the types; `null` stands last. */
function union(types: readonly Type[]): Type {
  const texts = new Map(types.map((type) => [type.text, type]));
  if (texts.has(unknown.text)) return unknown;
  const [only = nothing, ...more] = [...texts.values()].toSorted((a, b) => Number(a.text === "null") - Number(b.text === "null"));
  return more.length === 0 ? only : joined([only, ...more], "|");
}

/** A value of all the types. The plain object type is left out where another type states more. */
function intersection(types: readonly Type[]): Type {
  const texts = new Map(types.map((type) => [type.text, type]));
  texts.delete(unknown.text);
  if (texts.size > 1) texts.delete(anyObject);
  const [only = unknown, ...more] = texts.values();
  return more.length === 0 ? only : joined([only, ...more], "&");
}

/** The most columns of a union on one line. */
const widest = 110;

function joined(types: readonly Type[], operator: "|" | "&"): Type {
  const texts = types.map((type) => (type.operator === undefined || type.operator === operator ? type.text : code`(${type.text})`));
  const line = list(texts, ` ${operator} `);
  if (line.includes("\n") || line.length <= widest) return { text: line, operator };
  const sign = operator === "|" ? code`|` : code`&`;
  return {
    text: list(
      texts.map((text) => code`\n  ${sign} ${deeper(text, "  ")}`),
      "",
    ),
    operator,
  };
}

/** A label before a type. A type of several lines begins on the next line. */
const labelled = (label: Code, { text }: Type): Code => (text.startsWith("\n") ? code`${label}${text}` : code`${label} ${text}`);

const bracketed = ({ text, operator }: Type): Code => (operator === undefined ? text : code`(${text})`);

/** The comment above a type: the description of its schema. */
function aboutOf({ description, deprecated }: JsonObject): Code {
  const text = typeof description === "string" ? description.trim().split("\n") : [];
  const lines = [...text, ...(deprecated === true ? ["@deprecated"] : [])].map((line) => comment(line.trim()));
  const [only, ...more] = lines.filter((line, i) => line !== "" || (i > 0 && lines[i - 1] !== ""));
  if (only === undefined) return empty;
  if (more.length === 0) return code`/** ${only} */\n`;
  return code`/**\n${list(
    [only, ...more].map((line) => (line === "" ? code` *\n` : code` * ${line}\n`)),
    "",
  )} */\n`;
}
