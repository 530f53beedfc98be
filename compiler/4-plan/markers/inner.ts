import type { Expr, TextPart } from "#runtime/plan/index.ts";

/** The expressions of which an expression is directly made, in the order in which they are evaluated. */
export function innerOf(e: Expr): readonly Expr[] {
  const inner: Expr[] = [];
  withInner(e, (each) => {
    inner.push(each);
    return each;
  });
  return inner;
}

/** The expression, made of the results of `change` in place of the expressions of which it is directly made. */
export function withInner(e: Expr, change: (inner: Expr) => Expr): Expr {
  switch (e.op) {
    case "lit":
    case "root":
    case "action":
    case "data":
    case "item":
    case "given":
      return e;
    case "at":
    case "count":
    case "each":
    case "reread":
    case "typed":
    case "start":
      return { ...e, of: change(e.of) };
    case "or":
      return { ...e, of: change(e.of), instead: change(e.instead) };
    case "filter":
      return { ...e, of: change(e.of), args: e.args.map(change) };
    case "jq":
      return { ...e, filter: change(e.filter), of: change(e.of), values: e.values.map(change) };
    case "text":
      return { ...e, parts: e.parts.map((part): TextPart => (typeof part === "string" ? part : { ...part, of: change(part.of) })) };
    case "join":
    case "list":
      return { ...e, items: e.items.map(change) };
    case "map":
      return { ...e, entries: e.entries.map(([key, value]) => [typeof key === "string" ? key : change(key), change(value)]) };
  }
}
