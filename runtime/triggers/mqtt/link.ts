import type { Delivery } from "./message.ts";
import type { Ack } from "./packets.ts";

/** The connection of a session's client. */
export interface Link {
  /** The most messages of QoS 1 and 2 that the client accepts without acknowledging one. */
  readonly window: number;
  /** True while the socket accepts no more bytes. */
  readonly isFull: boolean;
  /** Sends a message. False when the message is larger than the client accepts: it then counts as delivered. */
  readonly publish: (delivery: Delivery, id: number | undefined, isAgain: boolean) => boolean;
  readonly acknowledge: (ack: Ack) => void;
  /** Ends the connection, because another connection was opened as this client. */
  readonly takeOver: () => void;
}
