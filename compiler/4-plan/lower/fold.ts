import type { Expr } from "#runtime/plan/index.ts";
import { type Json, type JsonObject, put } from "#runtime/value/json.ts";

/** A list of expressions; a list of only literals is one literal. */
export function listOf(items: readonly Expr[]): Expr {
  const values = literals(items);
  return values === undefined ? { op: "list", items } : { op: "lit", value: values };
}

/** A map of expressions; a map of only literals is one literal. Of equal keys the last value wins, at the place of the first. */
export function mapOf(entries: readonly (readonly [string | Expr, Expr])[]): Expr {
  const keys = entries.map(([key]) => key);
  if (!keys.every((key) => typeof key === "string")) return { op: "map", entries };
  const unique = [...new Map(entries.map(([key, value]) => [String(key), value]))];
  const values = literals(unique.map(([, value]) => value));
  if (values === undefined) return { op: "map", entries: unique };
  const out: JsonObject = {};
  unique.forEach(([key], i) => {
    put(out, key, values[i] ?? null);
  });
  return { op: "lit", value: out };
}

/** The members of a record that is known, each as a literal. */
export const literalEntries = (record: JsonObject): readonly (readonly [string, Expr])[] =>
  Object.entries(record).map(([key, value]) => [key, { op: "lit", value }]);

function literals(items: readonly Expr[]): Json[] | undefined {
  const values: Json[] = [];
  for (const item of items) {
    if (item.op !== "lit") return undefined;
    values.push(item.value);
  }
  return values;
}
