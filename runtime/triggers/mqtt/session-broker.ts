import type { Delivery, Message } from "./message.ts";
import type { Reason } from "./reasons.ts";
import type { Session } from "./session.ts";
import type { Subscription } from "./subscriptions.ts";
import type { TopicFilter } from "./topics.ts";
import type { Will } from "./will.ts";

/** The outcome of a published message. */
export type Outcome =
  | ("delivered" | "nobody" | "too many topics")
  /** The message waited for its place for so long that the other processes will never hear it. */
  | "lost";

/** Functions that tell a publisher about its message. */
export interface Receipt {
  /** Called when the message has reached the subscribers of this process. */
  readonly accepted: () => void;
  /** Called when every subscriber has the message, or it is stored for them: it may be acknowledged. */
  readonly done: (outcome: Outcome) => void;
}

/** The client that opens a session. */
export interface Opening {
  readonly key: string;
  /** True when the client continues its existing session. */
  readonly keeps: boolean;
  /** Milliseconds for which the session is kept after the connection has ended. */
  readonly keptMs: number;
  /** The rights of the client, with which another process publishes its will. */
  readonly rights: "key" | "jwt" | "anonymous";
  readonly will: Pick<Will, "delayMs" | "bare" | "expiryMs"> | undefined;
}

/** A session that is open for its client. */
export interface Opened {
  readonly session: Session;
  /** True when the session existed before. */
  readonly isPresent: boolean;
}

/** The broker as connections use it, with or without other processes. */
export interface SessionBroker {
  /** Opens a session. A reason says why the client cannot have it at the moment. */
  readonly open: (opening: Opening) => Opened | Promise<Opened | Reason>;
  readonly leave: (session: Session, askedMs: number, will?: DueWill) => void;
  readonly subscribe: (session: Session, filter: TopicFilter, subscription: Subscription) => boolean;
  readonly unsubscribe: (session: Session, text: string) => boolean;
  readonly replay: (session: Session, filter: TopicFilter, subscription: Subscription) => void;
  /** Resolves when the other processes know all changes of this one so far; undefined when they know them already. */
  readonly settled: () => Promise<void> | undefined;
  /** Publishes a message; a promise while so much waits that the publisher has to wait, too. */
  readonly publish: (message: Message, receipt: Receipt) => Promise<void> | undefined;
}

/** The will that is published when a client has disconnected, and its delay (MQTT 5, 3.1.3.2.2). */
export interface DueWill {
  readonly delayMs: number;
  /** The approximate bytes of the will in memory. */
  readonly bytes: number;
  readonly publish: () => void;
}

/** The other processes, as the broker of this process uses them. */
export interface Elsewhere {
  /** True when other processes may have members of shared subscriptions. */
  readonly shares: boolean;
  /**
   * Called when a session has ended, and its will is published. `shared` are its messages for other members of its shared subscriptions.
   */
  readonly ended: (session: Session, shared: readonly Delivery[]) => void;
}
