import type { Caller as NetworkCaller } from "../../network/gate.ts";
import type { Json, JsonObject } from "../../value/json.ts";
import type { Credential } from "../http/credentials.ts";
import type { Work } from "../work-queue.ts";
import type { Message } from "./message.ts";
import type { Connect } from "./packets.ts";
import type { Reason } from "./reasons.ts";
import type { TopicFilter } from "./topics.ts";

/** The origin of a client; fixed when its connection is made. */
export interface Peer extends NetworkCaller {
  /** The credential of the upgrade request; empty on a bare TCP connection. */
  readonly credential: Credential;
  /** The parameters in the query of the upgrade request, without its secrets. */
  readonly params: JsonObject;
}

/** The identity that a client has proven. */
export interface Caller {
  readonly kind: "key" | "jwt" | "anonymous";
  /** A text that is equal for all clients that may use each other's sessions, because the name of a client is no secret. */
  readonly scope: string;
  /** The token of a user, which is not verified. */
  readonly jwt?: string;
  /** The time, by the monotonic clock, at which the token expires. */
  readonly until?: number;
}

/** A client that has published. */
export interface Publisher {
  readonly caller: Caller;
  readonly peer: Peer;
  /** Does runs one after another, in the order of the messages; false when too many wait or come too fast. */
  readonly inOrder: (work: Work) => boolean;
}

/**
 * The permission of a message: to reach subscribers, or only to run the interface of its topic. A dropped message is acknowledged as usual,
 * a refused one is answered with an error.
 */
export type Permission = "deliver" | "run" | "drop" | "refuse";

/** Decisions of the service that the protocol leaves open. */
export interface Rules {
  /** Identifies the client, or gives the reason why it may not connect. */
  readonly admit: (connect: Connect, peer: Peer) => Caller | Reason;
  readonly mayPublish: (caller: Caller, topic: string) => Permission;
  readonly maySubscribe: (caller: Caller, filter: TopicFilter, peer: Peer) => boolean | Promise<boolean>;
  /** True for a topic whose interface is durable: a message to it is acknowledged when its run is stored. */
  readonly isDurable: (topic: string) => boolean;
  /**
   * Called when a client's message was accepted: runs the interface of its topic. For a durable one the promise resolves with true when its
   * run was stored; it never rejects.
   */
  readonly accepted: (message: Message, from: Publisher, isDuplicate: boolean) => Promise<boolean> | undefined;
  /** Writes a record for the operator. */
  readonly note: (text: string, fields: Readonly<Record<string, Json>>) => void;
  /** Reports an error that no feature meant to throw. */
  readonly bug: (error: unknown) => void;
  readonly uuid: () => string;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}
