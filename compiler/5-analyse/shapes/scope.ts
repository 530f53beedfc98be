import type { Dialect } from "#runtime/plan/dialect.ts";
import type { ActionListPlan, Span } from "#runtime/plan/index.ts";
import { any, type Shape } from "#runtime/shapes/shape.ts";
import type { Step } from "#runtime/value/json.ts";
import type { Notes } from "./notes.ts";

/** The data of an action, as far as they are known. */
export interface ActionShape {
  /** After success. */
  readonly data: Shape;
  /** After any end, a failure or a skip included: what others see that did not ask for success. */
  readonly seen: Shape;
}

/** The actions of a list by name, in the order in which they start. */
export interface ListShape {
  readonly actions: ReadonlyMap<string, ActionShape>;
  readonly loops: ReadonlyMap<string, LoopShape>;
}

/** A loop: the item that its actions get, their data, and what becomes of all (spec/language 4). */
export interface LoopShape {
  readonly item: Shape;
  readonly list: ListShape;
  readonly data: Shape;
  /** The results are kept when an item has failed. */
  readonly kept: Shape;
}

/** A reading that the analysis comes by, and what is known of it. */
export interface WatchedReading {
  readonly at: Span;
  /** The value that the path goes into. */
  readonly of: Shape;
  readonly path: readonly Step[];
  /** The value that it leads to. */
  readonly shape: Shape;
  /** The path goes into the value, into each of its elements, or (that of a transform) into it or each of its rows. */
  readonly into: "value" | "elements" | "rows";
}

/** Is told each reading, as often as it is interpreted. */
export type Watch = (reading: WatchedReading) => void;

/** The body as `accepts` describes it, and the actions with that body as their data. A caller may send any other: only slips follow. */
export interface Example {
  readonly body: Shape;
  readonly actions: ReadonlySet<string>;
}

/** The surroundings in which the shape of an expression is asked for, like those in which the walker evaluates it. */
export interface ShapeScope {
  readonly roots: ReadonlyMap<string, Shape>;
  readonly actions: ReadonlyMap<string, ActionShape>;
  /** Data of actions of this list as tests have narrowed them: the reader runs only where these have passed. */
  readonly proven?: ReadonlyMap<string, ActionShape>;
  /** Actions of this list that have succeeded, or the reader would not run. */
  readonly succeeded: ReadonlySet<string>;
  /** The scope of the list around, in a loop. */
  readonly outer?: ShapeScope;
  /** The name of the action, for messages. */
  readonly self?: string;
  readonly data?: Shape;
  readonly item?: Shape;
  /** The shapes that `given` reads. */
  readonly values?: readonly Shape[];
  /** The place of a reading that has none of its own. */
  readonly at?: Span | undefined;
  readonly example?: Example | undefined;
  readonly note: Notes;
  readonly watch?: Watch | undefined;
  /** Takes the name of each parameter that is read; none where all of them are. */
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
