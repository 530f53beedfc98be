import type { ActionPlan, Op } from "#runtime/plan/index.ts";
import { any, array, type Member, object, type Shape } from "#runtime/shapes/shape.ts";
import { visit } from "./words.ts";

/** The members that a plan reads of a value, as a tree. */
interface Read {
  readonly members: Map<string, Read>;
}

/** The shapes that an interface reads of its request and of its actions. Values of these shapes get far in a run. */
export interface Reads {
  /** The root is `body`, `params` or `headers`. */
  readonly root: (name: string) => Shape;
  readonly action: (name: string) => Shape;
}

type Path = readonly (string | number)[];

const nothing = (): Read => ({ members: new Map() });

/**
 * Finds the members that the paths of a plan read. If an action takes a part of the request as its data, reads of the action, of its
 * filters and of the actions in its loop are reads of that part.
 */
export function readsOf(plan: { readonly actions: readonly ActionPlan[] }): Reads {
  const roots = new Map<string, Read>();
  const actions = new Map<string, Read>();
  const all = listed(plan.actions);
  const taken = new Map(all.map(({ name, ops: [first] }) => [name, first === undefined ? undefined : takenBy(first)]));
  const ofAction = (name: string, path: Path): void => {
    const part = taken.get(name);
    add(actions, name, path);
    if (part !== undefined) add(roots, part.root, [...part.path, ...path]);
  };
  note(plan, (of, path) => {
    if (of.op === "root") add(roots, String(of.root), path);
    if (of.op === "action") ofAction(String(of.name), path);
  });
  for (const { name, ops } of all) {
    note(ops, (of, path) => {
      if (of.op === "data") ofAction(name, path);
      if (of.op === "item") ofAction(name, ["*", ...path]);
      if (of.op === "root" && of.root === "body" && ops[0]?.op === "lookup") ofAction(name, ["*", ...path]);
    });
  }
  const shape = (read: Read | undefined): Shape => (read === undefined ? any : shapeOf(read));
  return { root: (name) => shape(roots.get(name)), action: (name) => shape(actions.get(name)) };
}

/** The part of the request that an op takes as its data. */
function takenBy(op: Op): { readonly root: string; readonly path: Path } | undefined {
  const from = op.op === "take" ? op.from : op.op === "lookup" ? op.over : undefined;
  if (from?.op === "root") return { root: from.root, path: [] };
  return from?.op === "at" && from.of.op === "root" ? { root: from.of.root, path: from.path } : undefined;
}

/** The actions of a list and of the loops in it. */
export function listed(actions: readonly ActionPlan[]): readonly ActionPlan[] {
  return actions.flatMap((action) => [action, ...action.ops.flatMap((op) => (op.op === "lookup" ? listed(op.body.actions) : []))]);
}

type Node = Readonly<Record<string, unknown>>;

function note(part: unknown, found: (of: Node, path: Path) => void): void {
  visit(part, ({ op, of, path }) => {
    if ((op === "at" || op === "each") && typeof of === "object" && of !== null && Array.isArray(path))
      found(of as Node, op === "each" ? ["*", ...path] : path);
  });
}

function add(all: Map<string, Read>, name: string, path: Path): void {
  let here = all.get(name) ?? nothing();
  all.set(name, here);
  for (const step of path) {
    const key = typeof step === "number" ? "*" : step;
    const next = here.members.get(key) ?? nothing();
    here.members.set(key, next);
    here = next;
  }
}

function shapeOf({ members }: Read): Shape {
  if (members.size === 0) return any;
  const element = members.get("*");
  if (element !== undefined && members.size === 1) return array(shapeOf(element));
  return object(new Map([...members].map(([name, inner]): [string, Member] => [name, { shape: shapeOf(inner) }])));
}
