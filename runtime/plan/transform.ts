import type { Expr } from "./expr.ts";
import type { NativePattern } from "./native-pattern.ts";
import type { Span } from "./span.ts";
import type { TestPlan } from "./tests.ts";

/** Facts of an op, which compiler/5-analyse writes; the interpreter and the printer only read them. */
export interface OpFacts {
  /** The attempt has to wait for the op. */
  readonly waits?: true;
}

/** Facts of a transform. */
export interface TransformOpFacts extends OpFacts {
  /** True for the first transform, when later ones read the data as they were before it: these data are kept. */
  readonly keeps?: true;
  /** The arguments of the transform read the data that were kept. */
  readonly before?: true;
}

/**
 * One entry of `post_transforms`. `values` are the values that markers inside conditions and nested lists read by `given`; only the
 * outermost op has them.
 */
export type TransformOp = TransformOpFacts &
  (
    | ({ readonly op: "transform"; readonly use: string; readonly args: Expr; readonly at?: Span } & NativePattern)
    /** The tests look at an `item`; all must pass. */
    | {
        readonly op: "filter";
        readonly target: Expr;
        readonly tests: readonly TestPlan[];
        readonly values?: readonly Expr[];
        readonly at?: Span;
      }
    | { readonly op: "nest"; readonly lists: readonly NestedPlan[]; readonly at?: Span }
  );

/** A path of `nested_transforms`, and the transforms of what it matches. */
export interface NestedPlan {
  readonly target: Expr;
  readonly body: readonly TransformOp[];
  readonly values?: readonly Expr[];
  /** One of its transforms waits: a fact of compiler/5-analyse. */
  readonly waits?: true;
  readonly at?: Span;
}
