import type { Expr } from "#runtime/plan/index.ts";
import { isObject, own } from "#runtime/value/json.ts";

/** A member of a record, which may be one literal; null where it is not written. For the value of a marker it is the whole value. */
export function member(args: Expr, ...way: readonly string[]): Expr {
  const [field, ...rest] = way;
  if (field === undefined) return args;
  if (args.op === "lit") return member({ op: "lit", value: isObject(args.value) ? (own(args.value, field) ?? null) : null }, ...rest);
  if (args.op !== "map") return args;
  const entry = args.entries.find(([key]) => key === field);
  return entry === undefined ? { op: "lit", value: null } : member(entry[1], ...rest);
}

/** True for an expression that is known to be null, as that of a key without a value is. */
export const isUnset = (e: Expr): boolean => e.op === "lit" && e.value === null;

/** The items of a written list; any other value is one item. */
export function itemsOf(e: Expr): readonly Expr[] {
  if (e.op === "list") return e.items;
  if (e.op !== "lit") return [e];
  return Array.isArray(e.value) ? e.value.map((value) => ({ op: "lit", value })) : [];
}
