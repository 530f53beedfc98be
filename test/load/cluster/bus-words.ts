/** Messages after which the sequence of a node is compared. */
export const lengthOfBlock = 1_000;

/** A command to a node of the bus. */
export type BusCommand =
  | { readonly publish: number; readonly seconds: number }
  | { readonly count: true }
  | { readonly account: true }
  | { readonly end: true };

/** The account of one node. */
export interface BusHeard {
  readonly heard: number;
  /** Numbers of a publisher that were passed over. */
  readonly gaps: number;
  readonly repeats: number;
  /** Own messages that were heard before they had their place in the order, since the node had no connection for a second. */
  readonly early: number;
  /** Messages that the bus itself counts as lost. */
  readonly lost: number;
  /** Hashes of the whole sequence, and of the sequence after each block. */
  readonly hash: string;
  readonly blocks: readonly string[];
  /** Milliseconds from the publisher to this node, of every twentieth message. */
  readonly delay: { readonly p50: number; readonly p99: number; readonly most: number };
}

/** An answer of a node of the bus. */
export type BusSaid =
  | { readonly source: string }
  /** All is published: so many messages, and so often there was no room for the next one. */
  | { readonly sent: number; readonly refused: number }
  | { readonly count: number }
  | { readonly account: BusHeard }
  /** A line of its log. */
  | { readonly line: string };
