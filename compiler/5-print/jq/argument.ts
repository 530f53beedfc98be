import type { Expr } from "#runtime/plan.ts";

/** The text of a filter, and how many values are bound to it. */
export interface FilterExpr {
  readonly text: Expr;
  readonly values: number;
}

/** An argument that is a filter, or `{text, values}`. */
export function filterArgument(args: Expr): FilterExpr {
  if (args.op !== "map") return { text: args, values: 0 };
  const member = (key: string): Expr => args.entries.find(([name]) => name === key)?.[1] ?? { op: "lit", value: null };
  const values = member("values");
  const literals = values.op === "lit" && Array.isArray(values.value) ? values.value.length : 0;
  return { text: member("text"), values: values.op === "list" ? values.items.length : literals };
}
