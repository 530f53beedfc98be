import type { Expr } from "#runtime/plan/index.ts";
import { isObject, own } from "#runtime/value/json.ts";

/** The text of a filter, and the number of values that are bound to it. */
export interface FilterExpr {
  readonly text: Expr;
  readonly values: number;
}

/** The whole of the arguments of a feature, or one member of them. */
export type ArgumentPlace = "whole" | { readonly member: string };

/** The argument at a place, null where it is left out; undefined when it is known only in a run. */
export function argumentAt(args: Expr, place: ArgumentPlace): Expr | undefined {
  if (place === "whole") return args;
  const { member } = place;
  if (args.op === "lit") return { op: "lit", value: isObject(args.value) ? (own(args.value, member) ?? null) : null };
  if (args.op !== "map" || args.entries.some(([key]) => typeof key !== "string")) return undefined;
  return args.entries.find(([key]) => key === member)?.[1] ?? absent;
}

const absent: Expr = { op: "lit", value: null };

/** An argument that is a filter, or `{text, values}`. */
export function filterArgument(args: Expr): FilterExpr {
  if (args.op !== "map") return { text: args, values: 0 };
  const member = (key: string): Expr => args.entries.find(([name]) => name === key)?.[1] ?? { op: "lit", value: null };
  const values = member("values");
  const literals = values.op === "lit" && Array.isArray(values.value) ? values.value.length : 0;
  return { text: member("text"), values: values.op === "list" ? values.items.length : literals };
}
