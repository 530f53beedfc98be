import type { Expr, Span } from "#runtime/plan/index.ts";
import { present } from "../../present.ts";

/**
 * `of`, or `instead` where it is null. Constants are decided when compiling: code behind a value that is never null would never run, and
 * the type checker would report it.
 */
export function orElse(of: Expr, instead: Expr, at?: Span): Expr {
  if (isThere(of)) return of;
  if (isNull(of)) return instead;
  if (of.op === "or" && isNull(of.instead)) return orElse(of.of, instead, at);
  return { op: "or", of, instead, ...present({ at }) };
}

const isNull = (e: Expr): boolean => e.op === "lit" && e.value === null;

/** True when the value is certainly not null. */
function isThere(e: Expr): boolean {
  if (e.op === "or") return isThere(e.instead);
  return (e.op === "lit" && e.value !== null) || e.op === "text" || e.op === "list" || e.op === "map";
}
