import type { IncomingHttpHeaders } from "node:http";
import type { Json, JsonObject } from "../../json.ts";
import type { Message } from "./message.ts";
import type { Connect } from "./packets.ts";
import type { Reason } from "./reasons.ts";
import type { Filter } from "./topics.ts";

/** Where a client comes from; fixed when its connection is made. */
export interface Peer {
  /** Of the upgrade request; none on a bare TCP connection. */
  readonly headers: IncomingHttpHeaders;
  readonly address: string | undefined;
  /** Of the upgrade request, without credentials. */
  readonly params: JsonObject;
}

/** Whom a client has proven to be. */
export interface Caller {
  readonly kind: "key" | "jwt" | "anonymous";
  /** The same for all who may use each other's sessions: a client identifier is no secret. */
  readonly scope: string;
  /** The token of a user, for the runs of its messages. */
  readonly jwt?: string;
  /** The token was verified when the client connected. */
  readonly isVerified?: boolean;
  /** Time of the clock at which the token ends. */
  readonly until?: number;
}

/** A client that has published. */
export interface Publisher {
  readonly caller: Caller;
  readonly peer: Peer;
  /** Runs one thing after the other, in the order of the messages; false when too many wait or come too fast. */
  readonly inOrder: (work: () => Promise<void>) => boolean;
}

/** How a message came, for the run that it causes. */
export interface Arrival {
  readonly isDuplicate: boolean;
}

/** What a message may do: reach subscribers, only run the interface of its topic, or nothing. */
export type Permission = "deliver" | "run" | "refuse";

/** What the service decides beside the protocol. */
export interface Rules {
  /** Who the client is, or why it may not connect. */
  readonly admit: (connect: Connect, peer: Peer) => Caller | Reason | Promise<Caller | Reason>;
  readonly mayPublish: (caller: Caller, topic: string) => Permission;
  readonly maySubscribe: (caller: Caller, filter: Filter, peer: Peer) => boolean | Promise<boolean>;
  /** A client's message was accepted. */
  readonly accepted: (message: Message, from: Publisher, arrival: Arrival) => void;
  /** What the operator should know. */
  readonly note: (text: string, fields: Readonly<Record<string, Json>>) => void;
  readonly uuid: () => string;
  readonly now: () => number;
}
