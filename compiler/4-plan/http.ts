import { actions } from "#generated/features.ts";
import type { Expr } from "#runtime/plan.ts";
import { type Entry, entriesOf, type Node } from "../1-read/document.ts";
import type { Lowering } from "./scope.ts";
import { lower } from "./values.ts";

/** An `http` block over its defaults, nearest first: scalars fill gaps, headers merge key by key, the action wins (language.md 1.4). */
export function planHttp(block: Node, defaults: readonly Node[], cx: Lowering): Expr {
  const merged = defaults.reduce(
    (node, under) => ({ ...node, kind: "map" as const, entries: over(entriesOf(node), entriesOf(under)) }),
    block,
  );
  return lower(merged, actions.http.schema, cx, { field: "http", required: true });
}

function over(entries: readonly Entry[], defaults: readonly Entry[]): Entry[] {
  const mine = new Map(entries.map((entry) => [entry.key, entry]));
  const filled = entries.map((entry) => {
    const under = entry.key === "headers" ? defaults.find(({ key }) => key === "headers") : undefined;
    return under === undefined ? entry : { ...entry, value: mergedHeaders(entry.value, under.value) };
  });
  return [...filled, ...defaults.filter(({ key }) => !mine.has(key))];
}

/** Header names do not differ by case. */
function mergedHeaders(node: Node, under: Node): Node {
  const names = new Set(entriesOf(node).map(({ key }) => key.toLowerCase()));
  const added = entriesOf(under).filter(({ key }) => !names.has(key.toLowerCase()));
  return { kind: "map", span: node.span, entries: [...entriesOf(node), ...added] };
}
