import type { ActionListPlan, ActionPlan, Expr } from "#runtime/plan/index.ts";
import type { Shape } from "#runtime/shapes/shape.ts";
import type { Step } from "#runtime/value/json.ts";
import { isAction, isExpr, isOp, partsOf } from "../../4-plan/markers/mentions.ts";
import { follow, followEach } from "./follow.ts";
import type { ActionShape } from "./scope.ts";

/** One reading of the data of an action: a path into them, or into each of their elements. An empty path reads the data as a whole. */
interface Reading {
  readonly op: "at" | "each";
  readonly path: readonly Step[];
}

/**
 * The readings of the data of actions and of the body, by name. They stand in the list, in its loops, and in the parts that are evaluated
 * after the list.
 */
export function readingsIn(plan: ActionListPlan): ReadonlyMap<string, readonly Reading[]> {
  const byAction = new Map<string, Reading[]>();
  const add = (name: string, reading: Reading): void => {
    const readings = byAction.get(name);
    if (readings === undefined) byAction.set(name, [reading]);
    else readings.push(reading);
  };
  collect(plan, 0, add);
  return byAction;
}

/** The name for the readings of the body, which no action can have. */
export const bodyReadings = "";

type Add = (name: string, reading: Reading) => void;

/** Collects the readings of actions in the list that is `depth` loops further out than the part. */
function collect(part: unknown, depth: number, add: Add): void {
  const whole = actionIn(part, depth);
  if (whole !== undefined) add(whole, { op: "at", path: [] });
  if (isReading(part))
    for (const value of valuesIn(part.of)) {
      const name = actionIn(value, depth);
      if (name !== undefined) add(name, part);
    }
  if (isAction(part)) collectOwn(part, depth, add);
  for (const each of partsOf(part)) collect(each, isOp(part, "lookup") && each === part.body ? depth + 1 : depth, add);
}

/** The values of which an expression reads one: the value itself and its fallbacks. */
const valuesIn = (e: Expr): readonly Expr[] => (e.op === "or" ? [...valuesIn(e.of), ...valuesIn(e.instead)] : [e]);

function actionIn(part: unknown, depth: number): string | undefined {
  if (isExpr(part, "root") && part.root === "body" && depth === 0) return bodyReadings;
  return isExpr(part, "action") && (part.up ?? 0) === depth ? part.name : undefined;
}

const isReading = (part: unknown): part is Extract<Expr, Reading> => isExpr(part, "at") || isExpr(part, "each");

/**
 * Collects readings of the action's own data. An action that takes the data of another action reads that data as its own until they change.
 */
function collectOwn({ ops: [source, ...rest] }: ActionPlan, depth: number, add: Add): void {
  const name = source?.op === "take" ? actionIn(source.from, depth) : undefined;
  if (name === undefined) return;
  for (const op of rest) {
    for (const reading of ownReadings(op)) add(name, reading);
    if (op.op !== "check" || op.adds === true) return;
  }
}

function ownReadings(part: unknown): readonly Reading[] {
  const isOwn = isReading(part) && valuesIn(part.of).some(({ op }) => op === "data");
  return [...(isOwn ? [part] : []), ...partsOf(part).flatMap(ownReadings)];
}

/** The shape of the data after success, or else after any end, in which all readings lead somewhere; undefined if there is none. */
export function shapeRead({ data, seen }: ActionShape, readings: readonly Reading[]): Shape | undefined {
  if (readings.length === 0) return undefined;
  return [data, seen].find((shape) => readings.every(({ op, path }) => leads(shape, op, path)));
}

const leads = (shape: Shape, op: Reading["op"], path: readonly Step[]): boolean =>
  (op === "at" ? follow(shape, path) : followEach(shape, path)).missing === undefined;
