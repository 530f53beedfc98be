import type { Caller as NetworkCaller } from "../../network/gate.ts";
import type { Json, JsonObject } from "../../value/json.ts";
import type { Credential } from "../http/credentials.ts";
import type { Work } from "../work-queue.ts";
import type { Message } from "./message.ts";
import type { Connect } from "./packets.ts";
import type { Reason } from "./reasons.ts";
import type { TopicFilter } from "./topics.ts";

/** Where a client comes from; fixed when its connection is made. */
export interface Peer extends NetworkCaller {
  /** The credential in the upgrade request; there is none on a bare TCP connection. */
  readonly credential: Credential;
  /** The parameters in the query of the upgrade request, without its secrets. */
  readonly params: JsonObject;
}

/** The identity that a client has proven. */
export interface Caller {
  readonly kind: "key" | "jwt" | "anonymous";
  /** A text that is equal for all who may use each other's sessions: the name of a client is no secret. */
  readonly scope: string;
  /** The token of a user, which nobody has verified. */
  readonly jwt?: string;
  /** Time of the monotonic clock at which the token ends. */
  readonly until?: number;
}

/** A client that has published. */
export interface Publisher {
  readonly caller: Caller;
  readonly peer: Peer;
  /** Runs one thing after the other, in the order of the messages; false when too many wait or come too fast. */
  readonly inOrder: (work: Work) => boolean;
}

/**
 * The permission of a message: to reach subscribers, or only to run the interface of its topic. A dropped message is acknowledged as usual,
 * a refused one is answered with an error.
 */
export type Permission = "deliver" | "run" | "drop" | "refuse";

/** The decisions of the service beside the protocol. */
export interface Rules {
  /** Identifies the client, or says why it may not connect. */
  readonly admit: (connect: Connect, peer: Peer) => Caller | Reason;
  readonly mayPublish: (caller: Caller, topic: string) => Permission;
  readonly maySubscribe: (caller: Caller, filter: TopicFilter, peer: Peer) => boolean | Promise<boolean>;
  /** True for a topic whose interface is durable: what is sent there is acknowledged when its run is stored. */
  readonly isDurable: (topic: string) => boolean;
  /**
   * A client's message was accepted, and runs the interface of its topic. For a durable one the promise says whether its run was stored; it
   * never rejects.
   */
  readonly accepted: (message: Message, from: Publisher, isDuplicate: boolean) => Promise<boolean> | undefined;
  /** Tells the operator something. */
  readonly note: (text: string, fields: Readonly<Record<string, Json>>) => void;
  /** Reports an error that nobody meant to throw. */
  readonly bug: (error: unknown) => void;
  readonly uuid: () => string;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}
