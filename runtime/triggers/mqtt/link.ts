import type { Delivery } from "./message.ts";
import type { Ack } from "./packets.ts";

/** The connection of a session's client. */
export interface Link {
  /** Messages of QoS 1 and 2 that the client takes before it has acknowledged one. */
  readonly window: number;
  /** True while the socket takes no more. */
  readonly isFull: boolean;
  /** False for a message that the client does not take, since it is too large: it counts as delivered. */
  readonly publish: (delivery: Delivery, id: number | undefined, isAgain: boolean) => boolean;
  readonly acknowledge: (ack: Ack) => void;
  /** Somebody else has connected as this client: ends the connection. */
  readonly takeOver: () => void;
}
