import type { Resource } from "../process/host.ts";
import type { BusReport } from "./report.ts";

/** How a message is kept for processes that start later: the last message with a key replaces the one before it. */
export interface Keep {
  readonly key: string;
  /** The message removes the kept message of this key. */
  readonly drops?: boolean;
  /** The message is removed when the process that sent it has ended; without this it stays. */
  readonly owned?: boolean;
  /** Like `owned`, but when the owner ends, another process inherits the message. */
  readonly outlives?: boolean;
  /** How many of the last messages of the key are kept, in order. */
  readonly depth?: number;
}

export interface BusMessage {
  /** The kind of the follower that hears the message. */
  readonly kind: string;
  /** JSON text. */
  readonly body: string;
  /** The keys under which the message is kept. */
  readonly keep?: readonly Keep[];
}

/**
 * A message as each process hears it; all processes hear messages in one order. While the database is away a process hears its own messages
 * `early`. When those have their place in the order, the process hears them once more, `late`: a follower then corrects its state, and
 * informs no client a second time.
 */
export interface Heard extends BusMessage {
  /** The place of the message in the order of all messages; for an early message, the last known place. */
  readonly position: number;
  /** The process that has sent it. */
  readonly source: string;
  /** Counts the messages of its source. */
  readonly number: number;
  readonly when: "usual" | "early" | "late";
}

/** A message that is kept, with the process that owns it. The owner is empty when no process owns it. */
export interface Kept {
  readonly kind: string;
  readonly body: string;
  readonly keep: Keep;
  readonly position: number;
  readonly owner: string;
}

/** A part of a process whose state is the same in all processes. */
export interface Follower {
  readonly hear: (message: Heard) => void;
  /** Replaces the state of this follower by everything that is kept of its kind, in order. */
  readonly restore: (kept: readonly Kept[]) => void;
  /**
   * A process has ended; all processes hear so at this position. Its own entries are removed; entries that outlive it belong to the heir,
   * if there is one.
   */
  readonly gone?: (source: string, heir: string | undefined, position: number) => void;
}

/**
 * Carries messages between the processes of a service: all of them hear all messages, also their own, in one order (spec/surfaces 17). A
 * message is heard once by each process.
 */
export interface Bus extends Resource {
  /** The name of this process; each start has a new one. */
  readonly source: string;
  /** True where no other process can exist: messages are heard before `publish` returns. */
  readonly alone: boolean;
  readonly report: BusReport;
  /** A follower hears all messages of its kind from now on. Followers come before `join`. */
  readonly follow: (kind: string, follower: Follower) => void;
  /** Gives followers the stored state. Resolves when this process hears the other processes, or when that takes too long. */
  readonly join: () => Promise<void>;
  /** False when too much waits: the message is not sent. `heard` is called when this process has heard its own message. */
  readonly publish: (message: BusMessage, heard?: () => void) => boolean;
  /** Resolves when this process has heard all messages that it has sent so far; undefined when it has heard them already. */
  readonly settled: () => Promise<void> | undefined;
  /** Messages of a kind after a position, as far as they are still stored. Rejects while they cannot be read. */
  readonly since: (kind: string, position: number) => Promise<readonly Heard[]>;
}

/** The most bytes that wait to be sent; above it publishing is refused (spec/surfaces 17). */
export const mostWaiting = 8 * 1_048_576;

/** Bytes that a message takes in a queue. */
export const sizeOf = ({ kind, body, keep }: BusMessage): number => body.length + kind.length + (keep?.[0]?.key.length ?? 0) + 64;

/** The kind of the messages by which processes announce themselves and their end. */
export const membership = "bus";

/** True when the owner is this process or one of its workers. */
export const isOf = (owner: string, source: string): boolean => owner === source || owner.startsWith(`${source}.`);
