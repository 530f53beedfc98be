import type { Op } from "#runtime/plan/index.ts";
import {
  any,
  array,
  each,
  isNever,
  type Member,
  narrowed,
  nothing,
  number,
  type ObjectShape,
  object,
  type Shape,
  string,
} from "#runtime/shapes/shape.ts";
import { entriesShape } from "./entries.ts";
import { exprShape } from "./exprs.ts";
import type { LoopShape, ShapeScope } from "./scope.ts";

type Lookup = Extract<Op, { op: "lookup" }>;

/** The shapes of a loop (spec/language 4). */
export function loopShape({ over, options, body }: Lookup, scope: ShapeScope): LoopShape {
  const item = itemShape(elements(exprShape(over, scope)), options, scope);
  if (options.item_timeout !== undefined) exprShape(options.item_timeout, scope);
  const { data: _, item: __, values: ___, self: ____, ...around } = scope;
  const roots = new Map([...around.roots, ["body", item] as const]);
  // An item has the same request as the run.
  const list = scope.list(body, { ...around, roots, outer: scope, actions: new Map(), succeeded: new Set() });
  const entries = entriesShape(body, list);
  const result = object({ data: entries });
  if (options.partition) return { item, list, data: partitioned(item, entries), kept: nothing };
  const late = object(
    new Map<string, Member>([
      ["data", { shape: entries }],
      ["error", { shape: string, optional: true }],
    ]),
  );
  return { item, list, data: array(result), kept: array(late) };
}

/** Unset and null are an empty list; anything else fails. */
function elements(over: Shape): Shape {
  const lists = narrowed(over, ({ type }) => type === "array");
  if (lists.type === "any") return any;
  // Without elements no item runs, so the item gets the shape `any` and its readings are not reported.
  return lists.type === "array" && !isNever(lists.items) ? lists.items : any;
}

/** The shape of an item. Inherited keys win, and turn an item that is no object into one. */
function itemShape(item: Shape, { inherit, inherit_jq }: Lookup["options"], scope: ShapeScope): Shape {
  const added = [inherit, inherit_jq].flatMap((values) => (values === undefined ? [] : [exprShape(values, scope)]));
  return added.reduce(withInherited, item);
}

function withInherited(item: Shape, inherited: Shape): Shape {
  if (inherited.type !== "object" || item.type === "any") return any;
  return each(item, (one) => (one.type === "any" ? one : merged(one.type === "object" ? one : object({ value: one }), inherited)));
}

function merged(under: ObjectShape, over: ObjectShape): ObjectShape {
  const shared = [...under.members].filter(([name]) => over.rest === undefined || over.members.has(name));
  const rests = [under.rest, over.rest].flatMap((rest) => rest ?? []);
  return object(new Map([...shared, ...over.members]), rests.length === 0 && shared.length === under.members.size ? undefined : any);
}

function partitioned(item: Shape, entries: ObjectShape): Shape {
  const failed = object(
    new Map<string, Member>([
      ["item", { shape: item }],
      ["http_code", { shape: number, optional: true }],
      ["error", { shape: string, optional: true }],
      ["data", { shape: entries, optional: true }],
    ]),
  );
  return object({ succeeded: array(object({ data: entries })), failed: array(failed) });
}
