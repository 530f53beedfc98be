import { asList, isObject, type Json, type JsonObject, own } from "../value/json.ts";
import { decodedOrSame } from "../value/percent.ts";
import { meet } from "./meet.ts";
import {
  any,
  anyArray,
  anyObject,
  array,
  boolean,
  isNever,
  type Member,
  never,
  nothing,
  number,
  object,
  type Shape,
  shapeOf,
  string,
  union,
} from "./shape.ts";

/** Schemas that are read at most. Beyond them a shape is open, so that a document that refers to itself comes to an end. */
const mostSchemas = 3_000;
const deepest = 16;

/** One reading of a document. */
interface Reading {
  /** The document in which `$ref` is looked up. */
  readonly root: Json;
  left: number;
}

/**
 * The shape of the values that a JSON Schema accepts (draft 7 to 2020-12, and OpenAPI 3 with `nullable`). The shape never promises too
 * much: words that only narrow further, such as `pattern` or `not`, are ignored, and a reference to another document is open. `root` is the
 * document in which references are looked up.
 */
export const schemaShape = (schema: Json, root: Json = schema): Shape => shapeIn(schema, { root, left: mostSchemas }, []);

/** `within` are the references that led here. */
function shapeIn(schema: Json, reading: Reading, within: readonly string[], depth = 0): Shape {
  if (schema === false) return never;
  reading.left -= 1;
  if (!isObject(schema) || reading.left < 0 || depth > deepest) return any;
  const inner = (part: Json): Shape => shapeIn(part, reading, within, depth + 1);
  const choices = [own(schema, "anyOf"), own(schema, "oneOf")].filter((list) => Array.isArray(list));
  const parts = [
    typed(schema, inner),
    listed(schema),
    referred(own(schema, "$ref"), reading, within, depth),
    ...asList(own(schema, "allOf")).map(inner),
    ...choices.map((list) => union(...list.map(inner))),
  ];
  const shape = parts.reduce(meet, any);
  return own(schema, "nullable") === true ? union(shape, nothing) : shape;
}

/** The values of `enum` and `const`. */
function listed(schema: JsonObject): Shape {
  const [values, value] = [own(schema, "enum"), own(schema, "const")];
  const listedShape = Array.isArray(values) ? union(...values.map(shapeOf)) : any;
  return value === undefined ? listedShape : meet(listedShape, shapeOf(value));
}

function referred(ref: Json | undefined, reading: Reading, within: readonly string[], depth: number): Shape {
  if (typeof ref !== "string" || within.includes(ref)) return any;
  const part = pointed(reading.root, ref);
  return part === undefined ? any : shapeIn(part, reading, [...within, ref], depth);
}

/** The part of a document that a reference within it names, such as `#/components/schemas/Order`. */
export function pointed(root: Json, ref: string): Json | undefined {
  if (ref === "#") return root;
  if (!ref.startsWith("#/")) return undefined;
  let here: Json | undefined = root;
  for (const step of ref.slice(2).split("/")) {
    const key = decodedOrSame(step).replaceAll("~1", "/").replaceAll("~0", "~");
    here = Array.isArray(here) ? here[Number(key)] : isObject(here) ? own(here, key) : undefined;
  }
  return here;
}

/** The shapes of `type` and of the words that go with one type each. */
function typed(schema: JsonObject, inner: (part: Json) => Shape): Shape {
  const type = own(schema, "type");
  const names = typeof type === "string" ? [type] : Array.isArray(type) ? type : undefined;
  const shapes: Readonly<Record<string, () => Shape>> = {
    null: () => nothing,
    boolean: () => boolean,
    number: () => number,
    integer: () => number,
    string: () => string,
    array: () => elements(schema, inner),
    object: () => members(schema, inner),
  };
  const typeNames = names ?? ["null", "boolean", "number", "string", "array", "object"];
  return union(...typeNames.map((name) => (typeof name === "string" ? own(shapes, name)?.() : undefined) ?? any));
}

function elements(schema: JsonObject, inner: (part: Json) => Shape): Shape {
  const [items, first] = [own(schema, "items"), own(schema, "prefixItems")];
  if (items === undefined && first === undefined) return anyArray;
  // Up to draft 7 a list of schemas in `items` means what `prefixItems` means since 2020-12.
  const others = Array.isArray(items) ? own(schema, "additionalItems") : items;
  const prefix = Array.isArray(items) ? items : asList(first);
  return array(union(...prefix.map(inner), others === undefined ? any : inner(others)));
}

function members(schema: JsonObject, inner: (part: Json) => Shape): Shape {
  const [properties, required] = [own(schema, "properties"), asList(own(schema, "required"))];
  const [others, patterns] = [own(schema, "additionalProperties"), own(schema, "patternProperties")];
  const matching = isObject(patterns) ? Object.values(patterns).map(inner) : [];
  const rest = union(others === undefined ? any : inner(others), ...matching);
  const declared = isObject(properties) ? Object.entries(properties) : [];
  const all = new Map<string, Member>(
    declared.map(([name, part]) => [name, memberOf(inner(part), required.includes(name) && !isWritten(part))]),
  );
  for (const name of required) if (typeof name === "string" && !all.has(name)) all.set(name, memberOf(rest, true));
  if ([...all.values()].some(({ shape, optional }) => optional === undefined && isNever(shape))) return never;
  return all.size === 0 && rest.type === "any" ? anyObject : object(all, rest);
}

const memberOf = (shape: Shape, isRequired: boolean): Member => ({ shape, ...(isRequired ? {} : { optional: true as const }) });

/** True for a member that only requests have: answers leave it out. */
const isWritten = (part: Json): boolean => isObject(part) && own(part, "writeOnly") === true;
