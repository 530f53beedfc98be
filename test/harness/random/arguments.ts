import fc from "fast-check";
import type { JsonSchema } from "#runtime/features/feature.ts";
import { any, array, object, type Shape, shapeOf, string, union } from "#runtime/shapes/shape.ts";
import { isObject, type Json, type JsonObject, put } from "#runtime/value/json.ts";
import { name } from "./shapes.ts";

// Arguments of transforms at random: those of their fixtures, with other paths and names in some places.

/** Paths in the dialect of spec/transforms 2.1: some name one place, some name many, and some are refused. */
const paths = fc.oneof(
  { weight: 3, arbitrary: name },
  fc.constantFrom("$.a", "a.b.id", "$.items[*].id", "$[*].a", "$[*]", "$", "", "items[0].a", "[0].a", "[-1]", "0", "items.0"),
  fc.constantFrom("$..a", "$.*", "$.*.id", "$[?@.id == 1].a", "$.items[0:1]", "$['a','b']", "$.items[*].*", "a.", "b.a", "$.id.name"),
);

/** These arguments, with random paths in place of some texts and of keys that are paths or names. */
export function others(args: Json, schema: JsonSchema | undefined): fc.Arbitrary<Json> {
  if (typeof args === "string") return fc.oneof({ weight: 2, arbitrary: fc.constant(args) }, paths);
  if (Array.isArray(args)) {
    const items = args.map((item) => others(item, schema?.items));
    return fc.oneof(fc.tuple(...items), fc.array(fc.oneof(...items, paths), { maxLength: 3 }));
  }
  if (!isObject(args)) return fc.constant(args);
  const isMap = schema?.type === "object" && schema.properties === undefined;
  const inner = (key: string): JsonSchema | undefined =>
    isMap && typeof schema.additionalProperties === "object" ? schema.additionalProperties : schema?.properties?.[key];
  const entries = Object.entries(args).map(([key, value]) =>
    fc.tuple(isMap ? fc.oneof({ weight: 3, arbitrary: fc.constant(key) }, paths) : fc.constant(key), others(value, inner(key))),
  );
  return fc.tuple(...entries).map(objectOf);
}

function objectOf(entries: readonly (readonly [string, Json])[]): JsonObject {
  const out: JsonObject = {};
  for (const [key, value] of entries) put(out, key, value);
  return out;
}

/** The shape of arguments in which some values are markers, of which the shape is unknown or text. */
export function marked(args: Json): fc.Arbitrary<Shape> {
  const whole = fc.constant(shapeOf(args));
  if (Array.isArray(args))
    return fc.oneof(
      whole,
      fc.tuple(...args.map(marked)).map((items) => array(union(...items))),
      fc.constant(array(any)),
    );
  if (!isObject(args)) return fc.constantFrom(shapeOf(args), any, ...(typeof args === "string" ? [string] : []));
  const members = Object.entries(args).map(([key, value]) => marked(value).map((shape) => [key, { shape }] as const));
  return fc.tuple(...members).map((all) => object(new Map(all)));
}
