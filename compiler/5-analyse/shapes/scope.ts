import type { Dialect } from "#runtime/plan/dialect.ts";
import type { ActionListPlan, Span } from "#runtime/plan/index.ts";
import { any, type Shape } from "#runtime/shapes/shape.ts";
import type { Step } from "#runtime/value/json.ts";
import type { Notes } from "./notes.ts";

/** The shapes of the data of an action, as far as they are known. */
export interface ActionShape {
  /** The data after success. */
  readonly data: Shape;
  /** The data after any end, a failure or a skip included. Readers that do not require success see this shape. */
  readonly seen: Shape;
}

/** The actions of a list by name, in the order in which they start. */
export interface ListShape {
  readonly actions: ReadonlyMap<string, ActionShape>;
  readonly loops: ReadonlyMap<string, LoopShape>;
}

/** The shapes of a loop: the item that its actions get, their data, and the result of the loop (spec/language 4). */
export interface LoopShape {
  readonly item: Shape;
  readonly list: ListShape;
  readonly data: Shape;
  /** The data of the loop when an item has failed, which still have the results. */
  readonly kept: Shape;
}

/** A reading that the analysis meets, with its shapes. */
export interface WatchedReading {
  readonly at: Span;
  /** The shape of the value that the path reads. */
  readonly of: Shape;
  readonly path: readonly Step[];
  /** The shape of the value at the path. */
  readonly shape: Shape;
  /** The start of the path: the value, each of its elements, or (for a path of a transform) the value or each of its rows. */
  readonly into: "value" | "elements" | "rows";
}

/** A function that gets each reading, as often as it is interpreted. */
export type Watch = (reading: WatchedReading) => void;

/**
 * The body as `accepts` describes it, and the actions with that body as their data. A caller may send any other body, so only misspelt
 * names are reported.
 */
export interface Example {
  readonly body: Shape;
  readonly actions: ReadonlySet<string>;
}

/** Actions that must have succeeded before another runs: `names` are those that its gate names, `has` also knows those before them. */
export interface Succeeded {
  readonly names: ReadonlySet<string>;
  readonly has: (name: string) => boolean;
}

/** The surroundings for the shape of an expression. They correspond to the values with which the walker evaluates it. */
export interface ShapeScope {
  readonly roots: ReadonlyMap<string, Shape>;
  readonly actions: ReadonlyMap<string, ActionShape>;
  /** Data of actions of this list, narrowed by tests that must pass before the reader runs. */
  readonly proven?: ReadonlyMap<string, ActionShape>;
  /** Actions of this list that must have succeeded when the reader runs. */
  readonly succeeded: Pick<Succeeded, "has">;
  /** The scope of the list around, in a loop. */
  readonly outer?: ShapeScope;
  /** The name of the action, for messages. */
  readonly self?: string;
  readonly data?: Shape;
  readonly item?: Shape;
  /** The shapes of the values that an expression `given` reads. */
  readonly values?: readonly Shape[];
  /** The place for a reading without a place of its own. */
  readonly at?: Span | undefined;
  readonly example?: Example | undefined;
  readonly note: Notes;
  readonly watch?: Watch | undefined;
  /** Collects the name of each parameter that is read; undefined means that all are read. */
  readonly parameters: { readonly add: (name: string | undefined, at?: Span) => void };
  /** The language of a database. */
  readonly speaks: (database: string) => Dialect | "documents" | undefined;
  /** The rows of a query as the server of the database describes them, where it was asked. */
  readonly described?: ((database: string, query: string) => Shape | undefined) | undefined;
  /** Interprets a list of actions; a loop is one inside an action. */
  readonly list: (list: ActionListPlan, scope: ShapeScope) => ListShape;
}

/** The shape of the data of an action in the list that is `up` loops further out. */
export function shapeOfAction(name: string, up: number, scope: ShapeScope | undefined): Shape {
  if (scope === undefined) return any;
  if (up > 0) return shapeOfAction(name, up - 1, scope.outer);
  const action = scope.proven?.get(name) ?? scope.actions.get(name);
  if (action === undefined) return any;
  return scope.succeeded.has(name) ? action.data : action.seen;
}
