import { parseJson } from "#runtime/formats/json-text.ts";
import type { Expr, TextPart } from "#runtime/plan/index.ts";
import { any, array, type Member, object, type Shape, shapeOf, string, union, unionOf } from "#runtime/shapes/shape.ts";
import { isObject, type Json } from "#runtime/value/json.ts";
import { exprShape, reread } from "./exprs.ts";
import type { ShapeScope } from "./scope.ts";

/** Characters of a private-use range that mark the holes of a template while it is parsed. */
const open = "\ue000";
const close = "\ue001";

/** A hole, or a text around it. */
const hole = new RegExp(`${open}(\\d+)${close}`);

/** The value that a JSON template gives; any shape where a filled-in value may change the structure of the text. */
export function jsonTextShape(of: Expr, scope: ShapeScope): Shape {
  exprShape(of, scope);
  const parts = of.op === "text" ? of.parts : of.op === "lit" && typeof of.value === "string" ? [of.value] : [];
  const texts = parts.map(withoutValue);
  if (parts.length === 0 || texts.some((text) => text === undefined)) return any;
  const template = parseJson(texts.join(""));
  return template === undefined ? any : shapeIn(template, parts, scope);
}

/** The text of a part; undefined where a value is filled in as it is, or the text has the characters of holes. */
function withoutValue(part: TextPart, i: number): string | undefined {
  if (typeof part === "string") return part.includes(open) || part.includes(close) ? undefined : part;
  const mark = `${open}${i}${close}`;
  if (part.fill === "json_string") return mark;
  return part.fill === "json_value" || part.fill === "json_exact" ? `"${mark}"` : undefined;
}

function shapeIn(template: Json, parts: readonly TextPart[], scope: ShapeScope): Shape {
  if (Array.isArray(template)) return array(unionOf(template.map((item) => shapeIn(item, parts, scope))));
  if (isObject(template)) return membersShape(template, parts, scope);
  const number = typeof template === "string" ? hole.exec(template)?.[1] : undefined;
  if (number === undefined) return shapeOf(template);
  const part = parts[Number(number)];
  if (part === undefined || typeof part === "string" || part.fill === "json_string") return string;
  const value = exprShape(part.of, scope);
  return part.fill === "json_value" ? reread(value) : value;
}

/** A key with a hole may be equal to any other key. */
function membersShape(template: Record<string, Json>, parts: readonly TextPart[], scope: ShapeScope): Shape {
  const entries = Object.entries(template).map(([key, value]) => [key, shapeIn(value, parts, scope)] as const);
  const rest = entries.flatMap(([key, shape]) => (hole.test(key) ? [shape] : []));
  const members = entries.filter(([key]) => !hole.test(key));
  return object(
    new Map(members.map(([key, shape]): [string, Member] => [key, { shape: union(shape, ...rest) }])),
    rest.length === 0 ? undefined : union(...rest),
  );
}
