import type { Caller as NetworkCaller } from "../../network/gate.ts";
import type { Json, JsonObject } from "../../value/json.ts";
import type { Credential } from "../http/credentials.ts";
import type { Work } from "../work-queue.ts";
import type { Message } from "./message.ts";
import type { Connect } from "./packets.ts";
import type { Reason } from "./reasons.ts";
import type { Filter } from "./topics.ts";

/** Where a client comes from; fixed when its connection is made. */
export interface Peer extends NetworkCaller {
  /** What the upgrade request has shown; nothing on a bare TCP connection. */
  readonly credential: Credential;
  /** Of the query of the upgrade request, without its secrets. */
  readonly params: JsonObject;
}

/** Whom a client has proven to be. */
export interface Caller {
  readonly kind: "key" | "jwt" | "anonymous";
  /** The same for all who may use each other's sessions: the name of a client is no secret. */
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

/** What a message may do: reach subscribers, only run the interface of its topic, or nothing; of one that is dropped the client hears no word. */
export type Permission = "deliver" | "run" | "drop" | "refuse";

/** What the service decides beside the protocol. */
export interface Rules {
  /** Who the client is, or why it may not connect. */
  readonly admit: (connect: Connect, peer: Peer) => Caller | Reason;
  readonly mayPublish: (caller: Caller, topic: string) => Permission;
  readonly maySubscribe: (caller: Caller, filter: Filter, peer: Peer) => boolean | Promise<boolean>;
  /** A client's message was accepted. */
  readonly accepted: (message: Message, from: Publisher, isDuplicate: boolean) => void;
  /** What the operator should know. */
  readonly note: (text: string, fields: Readonly<Record<string, Json>>) => void;
  /** What nobody meant to throw. */
  readonly bug: (error: unknown) => void;
  readonly uuid: () => string;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}
