import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Caller } from "../../network/gate.ts";
import type { Refusal } from "../../run/refusals.ts";
import type { JsonObject } from "../../value/json.ts";
import type { Credential } from "./credentials.ts";
import { refuse } from "./refusal.ts";

/** A request for another protocol on its connection; the network policy of its path has admitted it. */
export class Upgrade {
  readonly message: IncomingMessage;
  readonly socket: Socket;
  /** The first bytes of the other protocol, if the client has sent some already. */
  readonly head: Buffer;
  readonly id: string;
  /** The path as it was written, without the query. */
  readonly path: string;
  /** The parameters of the query, without the secrets in it. */
  readonly params: JsonObject;
  /** The credentials; undefined when one of them is wrong. */
  readonly credential: Credential | undefined;

  constructor(upgrade: Pick<Upgrade, "message" | "socket" | "head" | "id" | "path" | "params" | "credential">) {
    this.message = upgrade.message;
    this.socket = upgrade.socket;
    this.head = upgrade.head;
    this.id = upgrade.id;
    this.path = upgrade.path;
    this.params = upgrade.params;
    this.credential = upgrade.credential;
  }

  /** The client for a network policy. It stays the same for all messages of the connection. */
  get caller(): Caller {
    return { headers: this.message.headers, peer: this.socket.remoteAddress };
  }

  /** Answers in HTTP and closes the connection. */
  refuse(refusal: Refusal): void {
    refuse(responseOn(this.message, this.socket), refusal, this.id);
  }
}

/** Makes a response on the connection, because Node has removed its own. */
export function responseOn(message: IncomingMessage, socket: Socket): ServerResponse {
  const response = new ServerResponse(message);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once("finish", () => {
    response.detachSocket(socket);
    socket.destroySoon();
  });
  return response;
}
