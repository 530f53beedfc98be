import type { CapabilityKind } from "#runtime/plan/capabilities.ts";
import type { Expr } from "#runtime/plan/index.ts";
import type { Sources } from "../../4-plan/inference/provenance.ts";
import type { Name } from "./names.ts";

/** A thing that a call touches, without its place in the file. */
export interface Touched extends Name {
  readonly kind: CapabilityKind;
  readonly of?: string;
  readonly verb?: string;
  readonly within?: readonly string[];
}

/**
 * Gives the things outside that a call of an action touches, by its arguments. It stands in a file of `actions/` under the name of the
 * action, as `toucher`; an action that reaches nothing outside needs none.
 */
export type Toucher = (args: Expr, known: Sources, config: string) => readonly Touched[];

/** Things of one kind, of which only the names are known. */
export const all = (kind: CapabilityKind, names: readonly Name[]): readonly Touched[] => names.map((name) => ({ kind, ...name }));
