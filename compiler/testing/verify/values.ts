import fc from "fast-check";
import { type Member, never, type Shape } from "#runtime/shapes/shape.ts";
import { isObject, type Json, type JsonObject, put } from "#runtime/value/json.ts";

/**
 * The names, texts and numbers from which values are made. They are few, so that values often have the members that are read. None of the
 * lists is empty.
 */
export interface Words {
  readonly names: readonly string[];
  readonly texts: readonly string[];
  readonly numbers: readonly number[];
  /** Values that are drawn more often than others. */
  readonly own?: readonly (string | number)[];
}

/** Random values. */
export interface Values {
  readonly any: fc.Arbitrary<Json>;
  readonly name: fc.Arbitrary<string>;
  readonly text: fc.Arbitrary<string>;
  /** Values that a shape describes; null where there are none. */
  readonly fitting: (shape: Shape) => fc.Arbitrary<Json>;
}

export function valuesOf({ names, texts, numbers, own = [] }: Words): Values {
  const name = fc.constantFrom(...names);
  const number = fc.constantFrom(...numbers);
  const text = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...texts) }, fc.string({ maxLength: 4 }));
  const any = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true, maxDepth: 3 },
      fc.constant(null),
      fc.boolean(),
      number,
      text,
      ...(own.length === 0 ? [] : [{ weight: 4, arbitrary: fc.constantFrom(...own) }]),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(name, tie("value"), { maxKeys: 4, noNullPrototype: true }),
    ),
  })).value;
  const fitting = (of: Shape): fc.Arbitrary<Json> => {
    switch (of.type) {
      case "any":
        return any;
      case "union":
        return of.of.length === 0 ? fc.constant(null) : fc.oneof(...of.of.map(fitting));
      case "null":
        return fc.constant(null);
      case "boolean":
        return of.values === undefined ? fc.boolean() : fc.constantFrom(...of.values);
      case "number":
        return of.values === undefined ? number : fc.constantFrom(...of.values);
      case "string":
        return of.values === undefined ? text : fc.constantFrom(...of.values);
      case "array":
        return of.items === never ? fc.constant([]) : fc.array(fitting(of.items), { maxLength: 3 });
      case "object":
        return membersOf(of.members, of.rest);
    }
  };
  const membersOf = (members: ReadonlyMap<string, Member>, rest: Shape | undefined): fc.Arbitrary<JsonObject> => {
    const memberArbitraries = [...members].map(([key, { shape: inner, optional }]) =>
      fc.tuple(fitting(inner), optional ? fc.boolean() : fc.constant(true)).map(([of, isThere]) => (isThere ? [[key, of] as const] : [])),
    );
    const others = rest === undefined ? fc.constant([]) : fc.array(fc.tuple(name, fitting(rest)), { maxLength: 2 });
    return fc
      .tuple(others, ...memberArbitraries)
      .map(([more, ...inner]) => objectOf([...more.filter(([key]) => !members.has(key)), ...inner.flat()]));
  };
  return { any, name, text, fitting };
}

function objectOf(entries: readonly (readonly [string, Json])[]): JsonObject {
  const out: JsonObject = {};
  for (const [key, of] of entries) put(out, key, of);
  return out;
}

/** The value with one part, chosen by a number, replaced or removed. */
export function bent(value: Json, choice: number, instead: Json | undefined): Json {
  const places = placesIn(value);
  const path = places[choice % places.length] ?? [];
  return replaced(value, path, instead) ?? null;
}

function placesIn(value: Json, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...path, key]))];
}

function replaced(value: Json, [step, ...more]: readonly string[], instead: Json | undefined): Json | undefined {
  if (step === undefined) return instead;
  const inside = (key: string, each: Json): Json | undefined => (key === step ? replaced(each, more, instead) : each);
  if (Array.isArray(value)) return value.map((each, i) => inside(String(i), each)).filter((each) => each !== undefined);
  if (!isObject(value)) return value;
  return objectOf(
    Object.entries(value).flatMap(([key, each]): [string, Json][] => {
      const inner = inside(key, each);
      return inner === undefined ? [] : [[key, inner]];
    }),
  );
}
