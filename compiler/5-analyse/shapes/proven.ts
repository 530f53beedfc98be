import type { ActionPlan, Expr, Op, TestPlan } from "#runtime/plan/index.ts";
import { meet } from "#runtime/shapes/meet.ts";
import { isNever, type Shape } from "#runtime/shapes/shape.ts";
import type { Step } from "#runtime/value/json.ts";
import { narrowedAt } from "./narrow.ts";
import type { ActionShape } from "./scope.ts";
import { passOf } from "./tests.ts";

/** Shapes that passed tests have narrowed: the body of the run, and the data of actions of the same list by name. */
export interface Proven {
  readonly body: Shape;
  readonly actions: ReadonlyMap<string, ActionShape>;
}

/** The most actions with narrowed data. Without a bound the time of `check` would grow with the square of their number. */
const mostActions = 32;

/** A value that can no longer change, and a path into it. */
interface Place {
  /** The name of an action; undefined for the body. */
  readonly action?: string;
  readonly path: readonly Step[];
}

/**
 * The values of a run in which an action has succeeded: all its tests have passed. `dataOf` gives the data of the actions of the list. The
 * readings of the tests were noted before.
 */
export function provenBy([source, ...rest]: readonly Op[], before: Proven, dataOf: DataOf): Proven {
  const own = source?.op === "take" ? placeOf(source.from, undefined) : undefined;
  // Behind a transform, and with members that a test has found, the data differ from the place they were taken from.
  const changed = rest.findIndex((op) => op.op !== "check" || op.adds === true);
  return rest.reduce((left, op, i) => {
    if (op.op !== "check") return left;
    return provenByTests(op.assert.tests, left, dataOf, changed < 0 || i < changed ? own : undefined);
  }, before);
}

/** Gives the shape of the data of an action, as far as it is known. */
export type DataOf = (name: string) => ActionShape | undefined;

/** The values of a run in which tests have passed. `own` is the place from which the tested data were taken. */
export function provenByTests(tests: readonly TestPlan[], before: Proven, dataOf: DataOf, own?: Place): Proven {
  return tests.reduce((left, test) => {
    const place = placeOf(test.target, own);
    if (place === undefined) return left;
    const narrow = (shape: Shape): Shape => sound(narrowedAt(shape, place.path, passOf(test)), shape);
    if (place.action === undefined) return { ...left, body: narrow(left.body) };
    const shape = left.actions.get(place.action) ?? dataOf(place.action);
    if (shape === undefined) return left;
    return { ...left, actions: bounded([...left.actions, [place.action, { data: narrow(shape.data), seen: narrow(shape.seen) }]]) };
  }, before);
}

/** The narrowed shape. Contradicting tests do not narrow it, because no reader of the value ever runs after them. */
const sound = (narrowed: Shape, before: Shape): Shape => (isNever(narrowed) ? before : narrowed);

const bounded = (entries: readonly (readonly [string, ActionShape])[]): ReadonlyMap<string, ActionShape> =>
  new Map([...new Map(entries)].slice(-mostActions));

/** Values of a run in which several actions have succeeded. */
export const allOf = (all: readonly Proven[], body: Shape): Proven => all.reduce(both, { body, actions: new Map() });

function both(a: Proven, b: Proven): Proven {
  if (b.actions.size === 0) return { body: sound(meet(a.body, b.body), a.body), actions: a.actions };
  const met = [...b.actions].map(([name, shape]): [string, ActionShape] => {
    const other = a.actions.get(name);
    if (other === undefined) return [name, shape];
    return [name, { data: sound(meet(other.data, shape.data), shape.data), seen: sound(meet(other.seen, shape.seen), shape.seen) }];
  });
  return { body: sound(meet(a.body, b.body), a.body), actions: bounded([...a.actions, ...met]) };
}

/** The place that an expression reads; undefined for an expression that does more. */
function placeOf(target: Expr, own: Place | undefined): Place | undefined {
  if (target.op === "root" && target.root === "body") return { path: [] };
  if (target.op === "action" && (target.up ?? 0) === 0) return { action: target.name, path: [] };
  if (target.op === "data") return own;
  if (target.op !== "at") return undefined;
  const before = placeOf(target.of, own);
  return before === undefined ? undefined : { ...before, path: [...before.path, ...target.path] };
}

/** Values of a run in which the tests that let an action run have passed. */
export const provenByGate = ({ gates }: ActionPlan, before: Proven, dataOf: DataOf): Proven =>
  provenByTests(gates.run_on_assertion?.tests ?? [], before, dataOf);
