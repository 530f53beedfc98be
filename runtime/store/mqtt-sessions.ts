import type { Resource } from "../process/host.ts";

/** A message of a session as it is stored: one for its client, or one of QoS 2 from it, whose place is the number of the exchange. */
export interface MessageRow {
  readonly inbound: boolean;
  readonly place: number;
  /** The number of the exchange with the client, once there is one. */
  readonly exchange: number | undefined;
  readonly received: boolean;
  readonly body: string;
}

/** A session at its position of the bus: all messages up to it are in its rows. */
export interface SessionRow {
  readonly id: string;
  readonly position: number;
  /** JSON text. */
  readonly filters: string;
  readonly messages: readonly MessageRow[];
}

/** The changes of one session, written together. */
export interface SessionChange {
  readonly id: string;
  readonly name: string;
  /** The right to write: a writer with an older epoch than the last one of the session is refused. */
  readonly epoch: number;
  /** Empty when its owner gives the session to another process. */
  readonly owner: string;
  /** All messages up to this position of the bus are in the session. */
  readonly position: number;
  /** Absent where the filters are as they were. */
  readonly filters: string | undefined;
  /** Rows that older epochs have stored of the session are forgotten. */
  readonly isNew: boolean;
  readonly set: readonly MessageRow[];
  readonly removed: readonly Pick<MessageRow, "inbound" | "place">[];
}

/** A session that is over, unless a newer epoch has it. */
export type SessionEnd = Pick<SessionChange, "id" | "epoch">;

/** All that an owner writes at once: its sessions at one position. */
export interface SessionBatch {
  readonly owner: string;
  readonly position: number;
  readonly changes: readonly SessionChange[];
  readonly ends: readonly SessionEnd[];
}

/**
 * Sessions of MQTT. Every operation is one atomic step for all processes that use the store, and may be done twice. It rejects when the
 * store does not answer.
 */
export interface SessionStore extends Resource {
  /** Stores a batch, but for sessions that have a newer epoch. */
  readonly write: (batch: SessionBatch) => Promise<void>;
  /** Takes sessions away from their owners: with the epoch, nobody else writes them. Gives those that are there, messages in order. */
  readonly claim: (ids: readonly string[], epoch: number) => Promise<readonly SessionRow[]>;
  /** Sessions that are stored for an owner, or for its workers. */
  readonly left: (owner: string) => Promise<readonly SessionEnd[]>;
  /** Forgets the positions of an owner that is gone, or of its workers, when no session needs them any more. */
  readonly forget: (owner: string) => Promise<void>;
}
