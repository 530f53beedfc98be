import type { Expr, Op, Span } from "#runtime/plan/index.ts";
import type { Node } from "../../1-read/document.ts";
import type { SourceSurroundings } from "../databases.ts";
import type { Lowering } from "../markers/scope.ts";

/** The place of the block of a source. */
export interface SourcePlace {
  /** The span of the key. */
  readonly at: Span;
  /** The action that holds the block. */
  readonly action: Node;
  readonly around: SourceSurroundings;
}

/**
 * The part of an action that the compiler needs beside its record. It stands in a file of this folder under the name of the action, as
 * `planner`; most actions need none, since their block is lowered by the schema of the record.
 */
export interface Planner {
  /** Reports mistakes that a schema cannot express. */
  readonly check?: (block: Node, place: SourcePlace, cx: Lowering) => void;
  /** Lowers the block in its own way: to the arguments of the call, or to ops that replace it. */
  readonly plan?: (block: Node, place: SourcePlace, cx: Lowering) => Expr | readonly Op[];
}
