import type { Resource } from "../process/host.ts";

/** A stored message of a session: one for its client, or one of QoS 2 from it, whose place is the number of the exchange. */
export interface MessageRow {
  readonly inbound: boolean;
  readonly place: number;
  /** The number of the exchange with the client, once there is one. */
  readonly exchange: number | undefined;
  readonly received: boolean;
  readonly body: string;
}

/** A session at a position of the bus: its rows contain all messages up to this position. */
export interface SessionRow {
  readonly id: string;
  readonly position: number;
  /** JSON text. */
  readonly filters: string;
  readonly messages: readonly MessageRow[];
}

/** Changes of one session, which are written together. */
export interface SessionChange {
  readonly id: string;
  readonly name: string;
  /** The right to write: the store refuses a writer whose epoch is older than the last one of the session. */
  readonly epoch: number;
  /** The owning process; empty when the owner gives the session to another process. */
  readonly owner: string;
  /** All messages up to this position of the bus are in the session. */
  readonly position: number;
  /** The filters of the subscriptions; absent when they have not changed. */
  readonly filters: string | undefined;
  /** True when rows that older epochs have stored for the session are removed. */
  readonly isNew: boolean;
  readonly set: readonly MessageRow[];
  readonly removed: readonly Pick<MessageRow, "inbound" | "place">[];
}

/** The end of a session, unless a writer with a newer epoch has it. */
export type SessionEnd = Pick<SessionChange, "id" | "epoch">;

/** The changes that an owner writes at once: its sessions at one position. */
export interface SessionBatch {
  readonly owner: string;
  readonly position: number;
  readonly changes: readonly SessionChange[];
  readonly ends: readonly SessionEnd[];
}

/**
 * A store for sessions of MQTT. Every operation is one atomic step for all processes that use the store, and may be repeated. It rejects
 * when the store does not answer.
 */
export interface SessionStore extends Resource {
  /** Stores a batch, except for sessions that have a newer epoch. */
  readonly write: (batch: SessionBatch) => Promise<void>;
  /**
   * Takes sessions away from their owners: from then on only the caller writes them, by its epoch. Gives the stored ones, with messages in
   * order.
   */
  readonly claim: (ids: readonly string[], epoch: number) => Promise<readonly SessionRow[]>;
  /** Sessions that an owner or one of its workers has stored. */
  readonly left: (owner: string) => Promise<readonly SessionEnd[]>;
  /** Removes the positions of an owner that has ended, and of its workers, when no session needs them any more. */
  readonly forget: (owner: string) => Promise<void>;
}
