/**
 * The most levels of all patterns of one client, and of all patterns together (spec/surfaces 3 and 4). A tree of patterns has a branch for
 * each level, which needs up to 256 bytes: without these bounds, a few short messages of one client would fill the memory.
 */
export const mostBranches = { client: 16_384, all: 1_048_576 } as const;

/** A pattern as a tree keeps it. */
export interface Branched {
  readonly text: string;
  readonly levels: readonly string[];
}

/** The levels that a pattern counts: its own, and one for each 256 characters of a long text. */
export const branchesOf = ({ text, levels }: Branched): number => levels.length + Math.floor(text.length / 256);

/** True when a client with these patterns may have a further one. */
export function hasBranchesLeft(patterns: Iterable<{ readonly filter: Branched }>, further: Branched): boolean {
  let count = branchesOf(further);
  for (const { filter } of patterns) count += branchesOf(filter);
  return count <= mostBranches.client;
}
