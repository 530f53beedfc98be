import type { Delivery, Message } from "./message.ts";
import type { Reason } from "./reasons.ts";
import type { Session } from "./session.ts";
import type { Subscription } from "./subscriptions.ts";
import type { TopicFilter } from "./topics.ts";
import type { Will } from "./will.ts";

/** The fate of a message that was published. */
export type Outcome =
  | ("delivered" | "nobody" | "too many topics")
  /** The message was so long without its place that the other processes will never hear it. */
  | "lost";

/** Functions by which a publisher hears what becomes of its message. */
export interface Receipt {
  /** The message has reached the subscribers here. */
  readonly accepted: () => void;
  /** Everybody who waits for the message has it, or it is stored for them: it may be acknowledged. */
  readonly done: (outcome: Outcome) => void;
}

/** The client that opens a session. */
export interface Opening {
  readonly key: string;
  /** The client goes on with the session that there is. */
  readonly keeps: boolean;
  /** Milliseconds for which the session is kept when the connection has ended. */
  readonly keptMs: number;
  /** The rights of the client, by which another process publishes its will. */
  readonly rights: "key" | "jwt" | "anonymous";
  readonly will: Pick<Will, "delayMs" | "bare" | "expiryMs"> | undefined;
}

/** A session that a client may use now. */
export interface Opened {
  readonly session: Session;
  /** The session was there before. */
  readonly isPresent: boolean;
}

/** The broker as connections need it, whether there are other processes or not. */
export interface SessionBroker {
  /** A reason says why the client cannot have the session now. */
  readonly open: (opening: Opening) => Opened | Promise<Opened | Reason>;
  readonly leave: (session: Session, askedMs: number, will?: DueWill) => void;
  readonly subscribe: (session: Session, filter: TopicFilter, subscription: Subscription) => boolean;
  readonly unsubscribe: (session: Session, text: string) => boolean;
  readonly replay: (session: Session, filter: TopicFilter, subscription: Subscription) => void;
  /** Resolves when the other processes know what this one has told so far; undefined when they do. */
  readonly settled: () => Promise<void> | undefined;
  /** A promise while so much waits that the publisher has to. */
  readonly publish: (message: Message, receipt: Receipt) => Promise<void> | undefined;
}

/** The message to be published when a client has gone, and when (MQTT 5, 3.1.3.2.2). */
export interface DueWill {
  readonly delayMs: number;
  /** About how much memory it takes. */
  readonly bytes: number;
  readonly publish: () => void;
}

/** The other processes, as the broker of this one knows them. */
export interface Elsewhere {
  /** Members of shared subscriptions may be there, too. */
  readonly shares: boolean;
  /** A session has ended, and its will is published. These messages are for other members of its shared subscriptions. */
  readonly ended: (session: Session, shared: readonly Delivery[]) => void;
}
