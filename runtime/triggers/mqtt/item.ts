import type { Delivery, Message } from "./message.ts";

/** A message of QoS 1 or 2 that waits for its client, or that the client has not acknowledged. */
export interface Item {
  readonly delivery: Delivery;
  /** Counts the messages of the session. */
  readonly place: number;
  /** The number of the exchange, once the message is on its way. */
  id: number | undefined;
  /** Only the end of the exchange is missing. */
  isReceived: boolean;
  /** True once the message may have reached the client. */
  wasSent: boolean;
  /** How much a journal has stored of the message: nothing, something that has changed since, or all. */
  stored: "nothing" | "older" | "all";
}

/** Stores what changes in a session that outlives its process. */
export interface SessionChanges {
  /** The message has come, is on its way, or was received. */
  readonly changed: (item: Item) => void;
  /** The message is needed no more. */
  readonly removed: (item: Item) => void;
  /** A message of QoS 2 from the client is held until its release; undefined: no more. */
  readonly held: (id: number, message: Message | undefined) => void;
  readonly subscribed: () => void;
  /** Nothing of the session is needed any more. */
  readonly ended: () => void;
  /** Calls when all so far is stored; at once when nothing waits. */
  readonly after: (work: () => void) => void;
  /** Calls when all so far is stored, or the store is known not to answer. */
  readonly tried: (work: () => void) => void;
}

/** The content of a session, as it is stored. */
export interface Content {
  readonly items: readonly Pick<Item, "delivery" | "place" | "id" | "isReceived">[];
  readonly held: readonly (readonly [id: number, message: Message])[];
}
