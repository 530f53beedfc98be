import type { InterfacePlan, Span } from "#runtime/plan/index.ts";
import { isSpan } from "../../5-analyse/without-places.ts";

/** A place that tests can cover: an action is covered when it runs, anything else when it went both ways. */
export interface Point {
  readonly kind: "action" | "gate" | "test" | "fallback";
  readonly at: Span;
  /** The name of the action, or of the tested value. */
  readonly label: string;
}

/** A point by its kind and place: parts of a module that several interfaces share are one point. */
export const keyOf = (kind: Point["kind"], { file, start }: Span): string => `${kind} ${file}:${start}`;

/** All points of an interface. A plan is plain data, so the search finds all points. */
export function pointsOf(plan: InterfacePlan): readonly Point[] {
  const points = new Map<string, Point>();
  const add = (point: Point): void => {
    const key = keyOf(point.kind, point.at);
    if (!points.has(key)) points.set(key, point);
  };
  // Parts that are read when the process starts, or that only describe the interface, are never reached by a run.
  const { contract: _, about: __, start: ___, accepts: ____, network: _____, ...walked } = plan;
  visit(walked, add);
  return [...points.values()];
}

function visit(value: unknown, add: (point: Point) => void): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) visit(item, add);
    return;
  }
  const node = value as Readonly<Record<string, unknown>>; // an object that is no list
  const { at } = node;
  if (isSpan(at)) {
    if (Array.isArray(node.ops) && typeof node.name === "string") {
      add({ kind: "action", at, label: node.name });
      if (typeof node.gates === "object" && node.gates !== null && Object.keys(node.gates).length > 0)
        add({ kind: "gate", at, label: node.name });
    }
    if (Array.isArray(node.matchers) && typeof node.label === "string") add({ kind: "test", at, label: node.label });
    if (node.op === "or") add({ kind: "fallback", at, label: "default" });
  }
  for (const item of Object.values(node)) visit(item, add);
}
