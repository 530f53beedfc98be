import type { Work } from "../threads/slices.ts";
import { Failure } from "../value/failure.ts";

/**
 * A compiled pattern. Callers do not know which engine runs it: the contract is linear time and leftmost-first matching. A text that is too
 * long is a `Failure`.
 */
export interface Pattern {
  /** Number of capture groups, the whole match not counted. */
  readonly groups: number;
  /** Unanchored search. */
  test(text: string): boolean;
  /** The first match; null without one. */
  exec(text: string): Groups | null;
  /** Numbers of the groups that have names. */
  readonly names: Readonly<Record<string, number>>;
  /**
   * Replaces each match by the result of `fill`. Without `withGroups`, `fill` gets only the whole match, which may be found in half the
   * time.
   */
  replace(text: string, fill: (groups: Groups) => string, withGroups?: boolean): Work<string>;
}

/** The whole match, then its groups; null for one that took no part. */
export type Groups = readonly (string | null)[];

/**
 * Most characters of a text. For a longer one, the memory that JavaScript keeps of a repetition may not fit its stack
 * (compiler/6-print/regex/subset.ts).
 */
export const longestText = 4_194_304;

/** Gives the text; fails when it is longer than `longestText`. */
export function bounded(text: string): string {
  if (text.length > longestText)
    throw new Failure("transform", `text of ${text.length} characters, the limit of patterns is ${longestText}`);
  return text;
}
