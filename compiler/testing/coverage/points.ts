import type { InterfacePlan, Span, TestPlan } from "#runtime/plan/index.ts";
import { isAction, isExpr, partsOf } from "../../4-plan/markers/mentions.ts";

/** A place that tests can cover: an action is covered when it runs, anything else when it went both ways. */
export interface Point {
  readonly kind: "action" | "gate" | "test" | "fallback";
  readonly at: Span;
  /** The name of the action, or of the tested value. */
  readonly label: string;
}

/** A point by its kind and place: parts of a module that several interfaces share are one point. */
export const keyOf = (kind: Point["kind"], { file, start }: Span): string => `${kind} ${file}:${start}`;

/** All points of an interface. */
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

function visit(part: unknown, add: (point: Point) => void): void {
  if (isAction(part) && part.at !== undefined) {
    add({ kind: "action", at: part.at, label: part.name });
    if (Object.keys(part.gates).length > 0) add({ kind: "gate", at: part.at, label: part.name });
  }
  if (isTest(part) && part.at !== undefined) add({ kind: "test", at: part.at, label: part.label });
  if (isExpr(part, "or") && part.at !== undefined) add({ kind: "fallback", at: part.at, label: "default" });
  for (const each of partsOf(part)) visit(each, add);
}

const isTest = (part: unknown): part is TestPlan => typeof part === "object" && part !== null && "matchers" in part && "label" in part;
