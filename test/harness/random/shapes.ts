import fc from "fast-check";
import {
  any,
  anyArray,
  anyObject,
  array,
  boolean,
  type Member,
  nothing,
  number,
  type ObjectShape,
  object,
  oneOf,
  type Shape,
  string,
  union,
} from "#runtime/shapes/shape.ts";
import { valuesOf } from "../../../compiler/testing/verify/values.ts";

// Shapes at random, and values that fit them. There are few names, so that paths often match.

/** Names of members: ordinary ones, one that may be an index, one with a dot, and names that objects inherit. */
export const names = ["a", "b", "id", "name", "items", "0", "a.b", "__proto__", "constructor"] as const;
export const name = fc.constantFrom(...names);

/** Texts that transforms parse: numbers, dates, paths, documents. */
const texts = ["", "x", "id", "7", "-1.5", "50%", "$1,000", "a.b", "e30=", '{"a":1}', "a,b\n1,2", "<a>1</a>", "é", "%41", "2024-01-01"];
const numbers = [0, 1, -1, 2.5, 1e21, 42];

/** Generators of any value and of values that fit a shape. When no value fits, null is drawn, which the caller filters out by `fits`. */
export const { any: value, fitting, text } = valuesOf({ names, texts, numbers });
const someNumber = fc.constantFrom(...numbers);

const scalar: fc.Arbitrary<Shape> = fc.oneof(
  fc.constantFrom<Shape[]>(nothing, boolean, number, string),
  fc.array(text, { minLength: 1, maxLength: 3 }).map((values) => oneOf("string", values)),
  fc.array(someNumber, { minLength: 1, maxLength: 3 }).map((values) => oneOf("number", values)),
);

/** Any shape. */
export const shape: fc.Arbitrary<Shape> = fc.letrec<{ shape: Shape; member: Member }>((tie) => ({
  member: fc
    .tuple(tie("shape"), fc.boolean())
    .map(([inner, optional]) => ({ shape: inner, ...(optional ? { optional } : {}) })) as fc.Arbitrary<Member>,
  shape: fc.oneof(
    { depthSize: "small", maxDepth: 4 },
    scalar,
    fc.constantFrom<Shape[]>(any, anyArray, anyObject),
    tie("shape").map(array),
    fc
      .tuple(fc.array(fc.tuple(name, tie("member")), { maxLength: 5 }), fc.option(tie("shape")))
      .map(([members, rest]) => object(new Map(members), rest ?? undefined)),
    fc.tuple(tie("shape"), tie("shape")).map((both) => union(...both)),
  ),
})).shape;

/** Shapes of lists of objects and of objects, the usual input of transforms. */
export const rowShape: fc.Arbitrary<Shape> = fc
  .tuple(
    fc.array(fc.tuple(name, shape, fc.boolean()), { minLength: 1, maxLength: 5 }),
    fc.constantFrom<(Shape | undefined)[]>(undefined, undefined, any, string),
  )
  .map(([members, rest]) =>
    object(
      new Map(members.map(([key, inner, optional]): [string, Member] => [key, { shape: inner, ...(optional ? { optional } : {}) }])),
      rest,
    ),
  )
  .chain((row) => fc.constantFrom<Shape[]>(row, array(row), union(row, array(row)), union(row, nothing)));

/** A shape that accepts every value of the given shape and, at random, more. */
export function wider(of: Shape): fc.Arbitrary<Shape> {
  const same = partsWider(of);
  return fc.oneof(
    { weight: 8, arbitrary: same },
    { weight: 1, arbitrary: fc.constant(any) },
    { weight: 1, arbitrary: fc.tuple(same, shape).map((both) => union(...both)) },
  );
}

function partsWider(of: Shape): fc.Arbitrary<Shape> {
  switch (of.type) {
    case "any":
    case "null":
      return fc.constant(of);
    case "boolean":
    case "number":
    case "string":
      return fc.constantFrom<Shape[]>(of, { type: of.type });
    case "array":
      return wider(of.items).map(array);
    case "union":
      return fc.tuple(...of.of.map(partsWider)).map((all) => union(...all));
    case "object":
      return membersWider(of);
  }
}

function membersWider({ members, rest }: ObjectShape): fc.Arbitrary<Shape> {
  const known = [...members].map(([key, { shape: inner, optional }]) =>
    fc.tuple(wider(inner), fc.boolean()).map(([wide, loose]): [string, Member] => [key, memberOf(wide, loose || optional === true)]),
  );
  const others = rest === undefined ? fc.constantFrom<(Shape | undefined)[]>(undefined, undefined, any, string) : wider(rest);
  return fc.tuple(others, ...known).map(([more, ...inner]) => object(new Map(inner), more));
}

const memberOf = (inner: Shape, optional: boolean): Member => ({ shape: inner, ...(optional ? { optional } : {}) });
