import { describe, expect, test } from "vitest";
import { answerShape } from "#runtime/shapes/answer.ts";
import {
  any,
  anyArray,
  anyObject,
  array,
  boolean,
  type Member,
  never,
  nothing,
  number,
  object,
  oneOf,
  type Shape,
  string,
  union,
} from "#runtime/shapes/shape.ts";
import { unmarked } from "../../../compiler/6-print/marks.ts";
import { cut, isOpen } from "../../../compiler/6-print/types/cut.ts";
import { moduleTypes, shapeType } from "../../../compiler/6-print/types/shape-type.ts";

// Shapes as the types of a printed module. test/compiler/types/data-types.slow.test.ts holds random ones against the type checker.

const typeOf = (shape: Shape): string => shapeType(cut(shape), moduleTypes);
const optional = (shape: Shape): Member => ({ shape, optional: true });

test.each<[string, Shape, string]>([
  ["open", any, "pw.Json"],
  ["null", nothing, "null"],
  ["a boolean", boolean, "boolean"],
  ["one boolean", oneOf("boolean", [true]), "true"],
  ["both booleans", oneOf("boolean", [true, false]), "boolean"],
  ["a number", number, "number"],
  ["numbers", oneOf("number", [1, -2.5, 1e21]), "1 | -2.5 | 1e+21"],
  ["both zeros", oneOf("number", [-0, 0]), "0"],
  ["a text", string, "string"],
  ["texts", oneOf("string", ["a", "b"]), '"a" | "b"'],
  ["many texts", oneOf("string", [..."abcdefghij"]), "string"],
  ["no text", oneOf("string", []), "never"],
  ["any list", anyArray, "pw.Json[]"],
  ["a list", array(number), "number[]"],
  ["an empty list", array(never), "[]"],
  ["a list of several types", array(union(nothing, string)), "(string | null)[]"],
  ["a list of values", array(oneOf("string", ["a", "b"])), '("a" | "b")[]'],
  ["any object", anyObject, "pw.JsonObject"],
  ["an empty object", object({}), "Record<string, never>"],
  ["members of any name", object({}, number), "Record<string, number>"],
  ["members", object({ id: number, name: union(string, nothing) }), "{ id: number; name: string | null }"],
  ["a member that may be missing", object(new Map([["id", optional(number)]])), "{ id?: number }"],
  ["columns", array(object({ id: any, name: any })), 'Record<"id" | "name", pw.Json>[]'],
  ["further members", object({ id: number }, any), "{ id: number; [name: string]: pw.Json }"],
  ["further members of one type", object({ id: number }, string), "{ id: number; [name: string]: pw.Json }"],
  ["further members of the same type", object({ id: string }, string), "{ id: string; [name: string]: string }"],
  ["a member that is never there", object(new Map([["id", optional(never)]]), any), "pw.JsonObject"],
  ["one of several", union(nothing, number, object({ a: string })), "number | { a: string } | null"],
  ["all but null", union(boolean, number, string, anyArray, anyObject), "NonNullable<pw.Json>"],
  ["any scalar", union(nothing, boolean, number, string, array(number)), "pw.Json"],
  ["nothing at all", never, "never"],
  ["the answer of a service", answerShape(any), "pw.HttpAnswer"],
  ["its body", answerShape(object({ a: number })), "pw.HttpAnswer<{ a: number }>"],
  [
    "what only looks like one",
    object({ status: number, headers: anyObject, body: any }),
    "{ status: number; headers: pw.JsonObject; body: pw.Json }",
  ],
])("%s", (_, shape, type) => {
  expect(typeOf(shape)).toBe(type);
});

describe("names and values are no code", () => {
  test.each([
    ["a b", '{ "a b": 1 }'],
    ["*/ process.exit()", '{ "*/ process.exit()": 1 }'],
    ["`${x}`", '{ "`${x}`": 1 }'],
    ['"; evil: "', '{ "\\"; evil: \\"": 1 }'],
    ["a\nb\r", '{ "a\\nb\\r": 1 }'],
    ["\u2028", '{ "\\u2028": 1 }'],
    ["\u202e", '{ "\\u202e": 1 }'],
    ["\u0001null\u0002", '{ "\\u0001null\\u0002": 1 }'],
    ["", '{ "": 1 }'],
    ["__proto__", '{ ["__proto__"]: 1 }'],
    ["constructor", "{ constructor: 1 }"],
    ["class", "{ class: 1 }"],
    ["0", '{ "0": 1 }'],
  ])("%j", (name, type) => {
    const shown = typeOf(object(new Map([[name, { shape: oneOf("number", [1]) }]])));
    expect(shown).toBe(type);
    expect(unmarked(shown)).toBe(shown);
    const text = typeOf(oneOf("string", [name]));
    expect(JSON.parse(text)).toBe(name);
    expect(text).not.toMatch(/[^\x20-\x7e]/);
    const table = typeOf(object(new Map([name, "x"].map((each) => [each, { shape: any }]))));
    expect(table).toBe(`Record<${text} | "x", pw.Json>`);
  });
});

test("what does not fit in a line has a member a line", () => {
  const row = object({ id: number, title: union(string, nothing), tags: array(oneOf("string", ["first", "second", "third"])) });
  expect(shapeType(cut(union(array(object({ row, total: number, next_page: string })), nothing)), moduleTypes, "  ")).toBe(`{
    row: { id: number; title: string | null; tags: ("first" | "second" | "third")[] };
    total: number;
    next_page: string;
  }[] | null`);
});

describe("what is too large is open there", () => {
  test("deep", () => {
    let deep: Shape = string;
    for (let i = 0; i < 8; i++) deep = object({ in: deep });
    expect(typeOf(deep)).toBe("{ in: { in: { in: { in: { in: pw.JsonObject } } } } }");
  });

  test("wide", () => {
    expect(typeOf(object(Object.fromEntries(Array.from({ length: 31 }, (_, i) => [`a${i}`, number]))))).toBe("pw.JsonObject");
  });

  test("long", () => {
    const wide = object(Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`a${i}`, number])));
    const all = object(Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`b${i}`, wide])));
    const lines = typeOf(all).split("\n");
    expect(lines.length).toBeLessThan(200);
    expect(lines.at(-2)).toBe("  b19: pw.Json;");
  });
});

test.each<[boolean, Shape]>([
  [true, any],
  [true, nothing],
  [true, anyArray],
  [true, array(never)],
  [true, union(anyObject, nothing)],
  [true, union(boolean, number, string, anyArray, anyObject)],
  [false, string],
  [false, object({ id: any })],
  [false, union(object({ id: any }, any), nothing)],
])("a shape is worth a line unless it is open: %#", (isIt, shape) => {
  expect(isOpen(cut(shape))).toBe(isIt);
});
