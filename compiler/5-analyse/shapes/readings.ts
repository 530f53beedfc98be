import type { ActionListPlan } from "#runtime/plan/index.ts";
import type { Shape } from "#runtime/shapes/shape.ts";
import { isObject, type Json, type JsonObject, type Step } from "#runtime/value/json.ts";
import { isLiteral } from "../../4-plan/markers/mentions.ts";
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
  collect(plan as unknown as Json, 0, add); // a plan is JSON by its type, but for fields that may be undefined
  return byAction;
}

/** The name for the readings of the body, which no action can have. */
export const bodyReadings = "";

type Add = (name: string, reading: Reading) => void;

/**
 * Collects the readings of actions in the list that is `depth` loops further out than `part`. Expressions are plain data, so the search
 * finds all readings.
 */
function collect(part: Json | undefined, depth: number, add: Add): void {
  if (Array.isArray(part)) for (const item of part) collect(item, depth, add);
  if (!isObject(part) || isLiteral(part)) return;
  const whole = actionIn(part, depth);
  if (whole !== undefined) add(whole, { op: "at", path: [] });
  const reading = readingIn(part);
  for (const value of reading === undefined ? [] : valuesIn(part.of)) {
    const name = actionIn(value, depth);
    if (name !== undefined && reading !== undefined) add(name, reading);
  }
  if (Array.isArray(part.ops)) collectOwn(part.ops, depth, add);
  for (const each of Object.values(part)) collect(each, part.op === "lookup" && each === part.body ? depth + 1 : depth, add);
}

/** The values of which an expression reads one: the value itself and its fallbacks. */
function valuesIn(part: Json | undefined): readonly (Json | undefined)[] {
  return isObject(part) && part.op === "or" ? [...valuesIn(part.of), ...valuesIn(part.instead)] : [part];
}

function actionIn(part: Json | undefined, depth: number): string | undefined {
  if (isObject(part) && part.op === "root" && part.root === "body" && depth === 0) return bodyReadings;
  if (!isObject(part) || part.op !== "action" || typeof part.name !== "string") return undefined;
  return (part.up ?? 0) === depth ? part.name : undefined;
}

function readingIn({ op, path }: JsonObject): Reading | undefined {
  return op === "at" || op === "each" ? { op, path: path as Step[] } : undefined; // the type of the plan has steps here
}

/**
 * Collects readings of the action's own data. An action that takes the data of another action reads that data as its own until they change.
 */
function collectOwn([source, ...rest]: readonly Json[], depth: number, add: Add): void {
  const name = isObject(source) && source.op === "take" ? actionIn(source.from, depth) : undefined;
  if (name === undefined) return;
  for (const op of rest) {
    for (const reading of ownReadings(op)) add(name, reading);
    if (!isObject(op) || op.op !== "check" || op.adds === true) return;
  }
}

function ownReadings(part: Json | undefined): readonly Reading[] {
  if (Array.isArray(part)) return part.flatMap(ownReadings);
  if (!isObject(part) || isLiteral(part)) return [];
  const isOwn = valuesIn(part.of).some((value) => isObject(value) && value.op === "data");
  const reading = isOwn ? readingIn(part) : undefined;
  return [...(reading === undefined ? [] : [reading]), ...Object.values(part).flatMap(ownReadings)];
}

/** The shape of the data after success, or else after any end, in which all readings lead somewhere; undefined if there is none. */
export function shapeRead({ data, seen }: ActionShape, readings: readonly Reading[]): Shape | undefined {
  if (readings.length === 0) return undefined;
  return [data, seen].find((shape) => readings.every(({ op, path }) => leads(shape, op, path)));
}

const leads = (shape: Shape, op: Reading["op"], path: readonly Step[]): boolean =>
  (op === "at" ? follow(shape, path) : followEach(shape, path)).missing === undefined;
