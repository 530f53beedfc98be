import type { Coercion, Expr, Span } from "#runtime/plan/index.ts";
import {
  any,
  array,
  boolean,
  type Member,
  narrowed,
  nothing,
  notNull,
  number,
  object,
  type Shape,
  shapeOf,
  string,
  union,
  unionOf,
} from "#runtime/shapes/shape.ts";
import { recordOf } from "../../records.ts";
import { slipOfExample } from "./examples.ts";
import { type Followed, follow, followEach, slipIn } from "./follow.ts";
import { rootShape } from "./roots.ts";
import { type ShapeScope, shapeOfAction } from "./scope.ts";

/** The shape of the value of an expression, case by case as runtime/walk evaluates it. Readings that lead nowhere are noted. */
export function exprShape(e: Expr, scope: ShapeScope): Shape {
  switch (e.op) {
    case "lit":
      return shapeOf(e.value);
    case "root":
      if (e.root === "params") scope.parameters.add(undefined);
      return watched(rootShape(e.root, e.name, scope), e.at, scope);
    case "action":
      return watched(shapeOfAction(e.name, e.up ?? 0, scope), e.at, scope);
    case "data":
      return watched(scope.data ?? any, e.at, scope);
    case "item":
      return scope.item ?? any;
    case "given":
      return scope.values?.[e.index] ?? any;
    case "at": {
      const of = baseShape(e, scope);
      return noted(follow(of, e.path), of, e, scope);
    }
    case "count":
      exprShape(e.of, scope);
      return number;
    case "each": {
      const of = exprShape(e.of, scope);
      return noted(followEach(of, e.path), of, e, scope);
    }
    case "or":
      return either(exprShape(e.of, scope), exprShape(e.instead, scope));
    case "filter":
      return filterShape(e, scope);
    case "jq":
      for (const part of [e.filter, e.of, ...e.values]) exprShape(part, scope);
      return any;
    case "text":
      for (const part of e.parts) if (typeof part !== "string") exprShape(part.of, scope);
      return string;
    case "join": {
      const items = e.items.map((item) => exprShape(item, scope));
      return items.some((item) => !mayBeNull(item)) ? string : union(string, nothing);
    }
    case "reread":
      return reread(exprShape(e.of, scope));
    case "typed":
      return typed(e.as, exprShape(e.of, scope), e.required === true);
    case "start":
      exprShape(e.of, scope);
      return any;
    case "list":
      return array(unionOf(e.items.map((item) => exprShape(item, scope))));
    case "map":
      return mapShape(e.entries, scope);
  }
}

/** The shape of the value that a path reads. A path that begins with the name of a parameter reads only that parameter. */
function baseShape({ of, path: [first], at }: Extract<Expr, { op: "at" }>, scope: ShapeScope): Shape {
  if (of.op !== "root" || of.root !== "params") return exprShape(of, scope);
  scope.parameters.add(String(first), at ?? scope.at);
  return rootShape(of.root, of.name, scope);
}

/** A value that is read as a whole. */
function watched(shape: Shape, at: Span | undefined, { watch }: ShapeScope): Shape {
  if (at !== undefined) watch?.({ at, of: shape, path: [], shape, into: "value" });
  return shape;
}

/** Notes a path that leads nowhere: at the place of the marker, else at the op around. */
function noted({ shape, missing }: Followed, of: Shape, e: Extract<Expr, { op: "at" | "each" }>, scope: ShapeScope): Shape {
  const at = e.at ?? scope.at;
  // Parameters are judged later, when all parameters that are read are known.
  const isJudged = e.op === "each" || (e.of.op === "root" && e.of.root === "params");
  const slip = isJudged || missing !== undefined ? undefined : (slipIn(of, e.path) ?? slipOfExample(e, of, scope));
  scope.note.read(`${sourceName(e.of, scope)}${e.op === "each" ? "[*]" : ""}`, e.path, missing ?? slip, at);
  if (at !== undefined) scope.watch?.({ at, of, path: e.path, shape, into: e.op === "each" ? "elements" : "value" });
  return shape;
}

/** The value in words: the name of the action or root, with the path into it. */
function sourceName(e: Expr, scope: ShapeScope): string {
  switch (e.op) {
    case "root":
      return e.name === undefined ? e.root : `${e.root}.${e.name}`;
    case "action":
      return e.name;
    case "data":
      return scope.self ?? "the data";
    case "item":
      return "the element";
    case "at":
      return [sourceName(e.of, scope), ...e.path].join(".");
    case "or":
    case "filter":
    case "count":
    case "each":
      return sourceName(e.of, scope);
    default:
      return "the value";
  }
}

export const mayBeNull = (shape: Shape): boolean =>
  shape.type === "any" || shape.type === "null" || (shape.type === "union" && shape.of.some(mayBeNull));

/** The shape of a value with a fallback: `instead` counts only where `of` may be null. */
const either = (of: Shape, instead: Shape): Shape => (mayBeNull(of) ? union(notNull(of), instead) : of);

function filterShape({ use, of, args }: Extract<Expr, { op: "filter" }>, scope: ShapeScope): Shape {
  const value = exprShape(of, scope);
  const argShapes = args.map((arg) => exprShape(arg, scope));
  return recordOf("filters", use).shape?.(value, argShapes) ?? any;
}

/** A text in the value position of a JSON template may read as any scalar (spec/language 2.8). */
export function reread(of: Shape): Shape {
  const texts = narrowed(of, ({ type }) => type === "string");
  const isText = texts.type === "string" || texts.type === "any";
  return isText ? union(of, nothing, boolean, number) : of;
}

function typed(as: Coercion, of: Shape, required: boolean): Shape {
  const result = coerced(as);
  return required || !mayBeNull(of) ? result : union(result, nothing);
}

function coerced(as: Coercion): Shape {
  switch (as) {
    case "string":
      return string;
    case "boolean":
      return boolean;
    case "strings":
      return array(string);
    case "number":
    case "integer":
    case "duration":
    case "seconds":
      return number;
  }
}

/** A key that is known only at run time may be equal to any other key. */
function mapShape(entries: Extract<Expr, { op: "map" }>["entries"], scope: ShapeScope): Shape {
  const members = new Map<string, Member>();
  const moving: Shape[] = [];
  for (const [key, value] of entries) {
    const shape = exprShape(value, scope);
    if (typeof key === "string") members.set(key, { shape });
    else {
      exprShape(key, scope);
      moving.push(shape);
    }
  }
  if (moving.length === 0) return object(members);
  const rest = union(...moving);
  return object(new Map([...members].map(([key, { shape }]) => [key, { shape: union(shape, rest) }])), rest);
}
