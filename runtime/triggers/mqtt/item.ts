import type { Delivery, Message } from "./message.ts";

/** A message of QoS 1 or 2 that waits for its client, or that the client has not acknowledged. */
export interface Item {
  readonly delivery: Delivery;
  /** The number of the message in its session, which gives the order. */
  readonly place: number;
  /** The packet identifier, once the message is on its way. */
  id: number | undefined;
  /** True when the client has received the message, and only the end of the exchange is missing. */
  isReceived: boolean;
  /** True once the message may have reached the client. */
  wasSent: boolean;
  /** The part of the message that a journal has stored: nothing, a state that has changed since, or the current state. */
  stored: "nothing" | "older" | "all";
}

/** Stores the changes of a session that outlives its process. */
export interface SessionChanges {
  /** Called when a message has arrived, is on its way, or was received. */
  readonly changed: (item: Item) => void;
  /** Called when a message is not needed any more. */
  readonly removed: (item: Item) => void;
  /** Called when a message of QoS 2 from the client is held until its release; with undefined when it is released. */
  readonly held: (id: number, message: Message | undefined) => void;
  readonly subscribed: () => void;
  /** Called when the session has ended. */
  readonly ended: () => void;
  /** Calls `work` when all changes so far are stored; at once when none waits. */
  readonly after: (work: () => void) => void;
  /** Calls `work` when all changes so far are stored, or when the store is known to be away. */
  readonly tried: (work: () => void) => void;
}

/** The messages of a session, as they are stored. */
export interface Content {
  readonly items: readonly Pick<Item, "delivery" | "place" | "id" | "isReceived">[];
  readonly held: readonly (readonly [id: number, message: Message])[];
}
