import type { Resource } from "../process/host.ts";
import type { BusReport } from "./report.ts";

/** How a message is kept for processes that come later: the last message of a key takes the place of the one before it. */
export interface Keep {
  readonly key: string;
  /** The message takes back what is kept. */
  readonly drops?: boolean;
  /** The message goes when the process that has sent it is gone; without this it stays. */
  readonly owned?: boolean;
  /** Owned, but another process inherits it. */
  readonly outlives?: boolean;
  /** How many of the last messages of the key are kept, in order. */
  readonly depth?: number;
}

/** A message to all processes of the service. */
export interface BusMessage {
  /** The follower that it is for. */
  readonly kind: string;
  /** JSON text. */
  readonly body: string;
  /** By each of these it is kept. */
  readonly keep?: readonly Keep[];
}

/**
 * A message as each process hears it, in one order for all. While the database is away a process hears its own messages `early`; when they
 * have got their place in the order it hears them once more, `late`: state follows the order then, and nobody is told again.
 */
export interface Heard extends BusMessage {
  /** Its place in the order of all messages; the last known one for an early message. */
  readonly position: number;
  /** The process that has sent it. */
  readonly source: string;
  /** Counts the messages of its source. */
  readonly number: number;
  readonly when: "usual" | "early" | "late";
}

/** A message that is kept, with the process that owns it; empty where none does. */
export interface Kept {
  readonly kind: string;
  readonly body: string;
  readonly keep: Keep;
  readonly position: number;
  readonly owner: string;
}

/** A part of a process whose state all processes have alike. */
export interface Follower {
  readonly hear: (message: Heard) => void;
  /** Takes the place of the state of this follower: all that is kept of its kind, in order. */
  readonly restore: (kept: readonly Kept[]) => void;
  /**
   * A process is gone, as all hear at this position. Its own entries are gone with it; entries that outlive it belong to the heir, if there
   * is one.
   */
  readonly gone?: (source: string, heir: string | undefined, position: number) => void;
}

/**
 * Carries messages between the processes of a service: all of them hear all messages, also their own, in one order (spec/surfaces 17). A
 * message is heard once by each process.
 */
export interface Bus extends Resource {
  /** The name of this process, another one after each start. */
  readonly source: string;
  /** True where no other process can be: messages are heard before `publish` returns. */
  readonly alone: boolean;
  readonly report: BusReport;
  /** A follower hears all messages of its kind from now on. Followers come before `join`. */
  readonly follow: (kind: string, follower: Follower) => void;
  /** Gives followers the state that there is; resolves when this process hears the others, or when that takes too long. */
  readonly join: () => Promise<void>;
  /** False when too much waits: the message is not sent. `heard` is called when this process has heard it itself. */
  readonly publish: (message: BusMessage, heard?: () => void) => boolean;
  /** Resolves when this process has heard all that it has sent so far; undefined when it has. */
  readonly settled: () => Promise<void> | undefined;
  /** Messages of a kind from behind a position on, as far as they are still known. Rejects when they cannot be asked for now. */
  readonly since: (kind: string, position: number) => Promise<readonly Heard[]>;
}

/** The most bytes that wait to be sent; above it publishing is refused (spec/surfaces 17). */
export const mostWaiting = 8 * 1_048_576;

/** Bytes that a message takes in a queue. */
export const sizeOf = ({ kind, body, keep }: BusMessage): number => body.length + kind.length + (keep?.[0]?.key.length ?? 0) + 64;

/** The kind of the messages by which processes know of each other. */
export const membership = "bus";

/** True when an owner is the process, or one of its workers. */
export const isOf = (owner: string, source: string): boolean => owner === source || owner.startsWith(`${source}.`);
