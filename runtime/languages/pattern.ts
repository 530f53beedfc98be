import type { Work } from "../threads/slices.ts";
import { Failure } from "../value/failure.ts";

/**
 * A compiled pattern. Which engine runs it is nobody's business: linear time and leftmost-first matching are the contract. A text that is
 * too long is a `Failure`.
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
   * Puts what `fill` makes of each match in its place. Without `withGroups` it gets the whole match alone, which may be found in half the
   * time.
   */
  replace(text: string, fill: (groups: Groups) => string, withGroups?: boolean): Work<string>;
}

/** The whole match, then its groups; null for one that took no part. */
export type Groups = readonly (string | null)[];

/** Characters of a text. Beyond it, what JavaScript remembers of a repetition may not fit its stack (compiler/6-print/regex/subset.ts). */
export const longestText = 4_194_304;

/** The text, when it is no longer than patterns are run on. */
export function bounded(text: string): string {
  if (text.length > longestText)
    throw new Failure("transform", `text of ${text.length} characters, the limit of patterns is ${longestText}`);
  return text;
}
