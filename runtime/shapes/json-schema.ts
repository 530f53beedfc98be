import { isObject, type Json, type JsonObject, own } from "../value/json.ts";
import { meet } from "./meet.ts";
import { any, array, boolean, type Member, never, nothing, number, object, type Shape, shapeOf, string, union } from "./shape.ts";

/** Schemas in a schema that are read; what is beyond is open. */
const mostSchemas = 2000;

/** The shape of the values that satisfy a JSON Schema (2020-12), or of more of them: what it cannot say is open. */
export const schemaShape = (schema: Json): Shape => new Reading(schema).shapeOf(schema, []);

class Reading {
  readonly #root: Json;
  #left = mostSchemas;

  constructor(root: Json) {
    this.#root = root;
  }

  /** `open`: the references on the way here, so that one to itself ends. */
  shapeOf(schema: Json, open: readonly string[]): Shape {
    this.#left -= 1;
    if (schema === false) return never;
    if (!isObject(schema) || this.#left < 0) return any;
    return this.#demands(schema, open).reduce(meet, any);
  }

  /** A shape for each keyword that says something of the whole value; all of them hold. */
  #demands(schema: JsonObject, open: readonly string[]): readonly Shape[] {
    const { $ref, const: constant, enum: words, allOf, anyOf, oneOf } = schema;
    const listed = (list: Json | undefined): readonly Shape[] => (Array.isArray(list) ? list.map((one) => this.shapeOf(one, open)) : []);
    return [
      this.#typed(schema, open),
      ...(typeof $ref === "string" ? [this.#referred($ref, open)] : []),
      ...(constant === undefined ? [] : [shapeOf(constant)]),
      ...(Array.isArray(words) ? [union(...words.map(shapeOf))] : []),
      ...listed(allOf),
      ...[anyOf, oneOf].filter(Array.isArray).map((list) => union(...listed(list))),
    ];
  }

  #referred(target: string, open: readonly string[]): Shape {
    if (!target.startsWith("#") || (target.length > 1 && target[1] !== "/") || open.includes(target)) return any;
    const found = target
      .split("/")
      .slice(1)
      .map((step) => decodeURIComponentSafely(step).replaceAll("~1", "/").replaceAll("~0", "~"))
      .reduce<Json | undefined>((at, step) => (isObject(at ?? null) ? own(at as JsonObject, step) : undefined), this.#root);
    return found === undefined ? any : this.shapeOf(found, [...open, target]);
  }

  /** Without a type the keywords of one say nothing of the values of others. */
  #typed(schema: JsonObject, open: readonly string[]): Shape {
    const { type } = schema;
    const types = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === "string");
    return types.length === 0 ? any : union(...types.map((one) => this.#ofType(one, schema, open)));
  }

  #ofType(type: string, schema: JsonObject, open: readonly string[]): Shape {
    switch (type) {
      case "null":
        return nothing;
      case "boolean":
        return boolean;
      case "number":
      case "integer":
        return number;
      case "string":
        return string;
      case "array":
        return this.#list(schema, open);
      case "object":
        return this.#object(schema, open);
      default:
        return any;
    }
  }

  #list({ items = true, prefixItems }: JsonObject, open: readonly string[]): Shape {
    const first = Array.isArray(prefixItems) ? prefixItems.map((one) => this.shapeOf(one, open)) : [];
    return array(union(...first, this.shapeOf(items, open)));
  }

  #object({ properties = {}, required = [], additionalProperties = true, patternProperties }: JsonObject, open: readonly string[]): Shape {
    const demanded = new Set(Array.isArray(required) ? required.filter((name) => typeof name === "string") : []);
    const others = patternProperties === undefined ? this.shapeOf(additionalProperties, open) : any;
    const rest = others.type === "union" && others.of.length === 0 ? undefined : others;
    const described = isObject(properties) ? Object.entries(properties) : [];
    const members = new Map<string, Member>();
    for (const [name, inner] of described) {
      // A pattern may demand more of a member that has a name, never less.
      members.set(name, { shape: this.shapeOf(inner, open), ...(demanded.has(name) ? {} : { optional: true }) });
    }
    for (const name of demanded) if (!members.has(name)) members.set(name, { shape: rest ?? never });
    return object(members, rest);
  }
}

/** A reference is a URI fragment; one that is badly encoded is read as it stands. */
function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (thrown) {
    if (!(thrown instanceof URIError)) throw thrown;
    return text;
  }
}
