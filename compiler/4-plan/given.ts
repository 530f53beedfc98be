import type { Expr, NestedPlan, TestPlan, TransformOp } from "#runtime/plan/index.ts";
import { withInner } from "./markers/inner.ts";
import { mentions } from "./markers/mentions.ts";

// Markers in arguments are evaluated once, not for each element or match (spec/transforms 1). Their values are stored in the list `values`
// of an op, from which its conditions and nested lists read them.

type FilterOp = Extract<TransformOp, { op: "filter" }>;

export function given(op: FilterOp): FilterOp {
  const values: Expr[] = [];
  const tests = op.tests.map((test) => inTest(test, values));
  return values.length === 0 ? op : { ...op, tests, values };
}

export function givenInList(list: NestedPlan): NestedPlan {
  const values: Expr[] = [];
  const body = list.body.map((op) => inOp(op, values));
  return values.length === 0 ? list : { ...list, body, values };
}

function inOp(op: TransformOp, values: Expr[]): TransformOp {
  switch (op.op) {
    case "transform":
      return { ...op, args: inExpr(op.args, values) };
    case "filter":
      return { ...op, target: inExpr(op.target, values), tests: op.tests.map((test) => inTest(test, values)) };
    case "nest": {
      const lists = op.lists.map((list) => ({
        ...list,
        target: inExpr(list.target, values),
        body: list.body.map((inner) => inOp(inner, values)),
      }));
      return { ...op, lists };
    }
  }
}

function inTest(test: TestPlan, values: Expr[]): TestPlan {
  return {
    ...test,
    target: inExpr(test.target, values),
    matchers: test.matchers.map((matcher) => ({
      ...matcher,
      operand: inExpr(matcher.operand, values),
      ...(matcher.values === undefined ? {} : { values: matcher.values.map((value) => inExpr(value, values)) }),
      ...(matcher.leaves === undefined ? {} : { leaves: mapValues(matcher.leaves, (leaf) => inTest(leaf, values)) }),
    })),
  };
}

const mapValues = <V>(record: Readonly<Record<string, V>>, change: (value: V) => V): Record<string, V> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));

/**
 * Moves the largest parts that do not depend on an element to `values`. Records and lists stay in place, so that the printed code shows
 * them where the author wrote them.
 */
function inExpr(e: Expr, values: Expr[]): Expr {
  const inner = (one: Expr): Expr => inExpr(one, values);
  switch (e.op) {
    case "lit":
    case "item":
    case "given":
      return e;
    case "list":
    case "map":
      return withInner(e, inner);
    case "start":
    case "at":
    case "count":
    case "each":
    case "filter":
    case "jq":
      return mentions(e, "item") ? withInner(e, inner) : taken(e, values);
    case "root":
    case "action":
    case "data":
    case "or":
    case "text":
    case "join":
    case "reread":
    case "typed":
      return taken(e, values);
  }
}

const taken = (e: Expr, values: Expr[]): Expr => ({ op: "given", index: values.push(e) - 1 });
