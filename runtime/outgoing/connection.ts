import type { Socket } from "node:net";
import type { Client, Dispatcher } from "undici";
import { codeOf } from "../value/thrown.ts";
import { Continues } from "./continues.ts";

/** A call. When it ends while it waits for a connection (`isOver`), it gets none. */
export interface Call extends Dispatcher.DispatchHandler {
  readonly isOver?: boolean;
  /** Tells the call that a connection has taken it, which may still have to be opened. */
  readonly onTaken?: (by: Taker) => void;
}

/** The connection that has taken a call. */
export interface Taker {
  /** Ends the attempt to connect, for a call that is over. The next call in line makes an attempt of its own. */
  readonly giveUp: (call: Call) => void;
}

/** Makes a client, which reports each socket when it begins to connect and again when it is connected. */
export type OpenClient = (connects: (socket: Socket) => void, connected: (socket: Socket) => void) => Client;

/** The events that a connection reports to the owner of all connections to its origin. */
export interface Connections {
  /** The connection has become free. */
  readonly released: (connection: Connection) => void;
  /** A free connection was closed. */
  readonly closed: (connection: Connection) => void;
  /** Serves a call by a new connection, after the old one has failed. */
  readonly again: (options: Dispatcher.DispatchOptions, call: Call) => void;
}

/** A connection. It passes the events of the client to the call that it serves at the time, so that one handler serves all its calls. */
export class Connection implements Dispatcher.DispatchHandler, Taker {
  isConnected = false;
  readonly #client: Client;
  readonly #origin: Connections;
  readonly #continues = new Continues();
  #call: Call | undefined;
  /** The request of the call, as long as it may be sent once more. */
  #options: Dispatcher.DispatchOptions | undefined;
  #hasServed = false;
  #isFree = false;
  /** The socket while it connects. Without `destroy`, only the network would end the attempt. */
  #socket: Socket | undefined;

  constructor(open: OpenClient, origin: Connections) {
    const client = open(
      (socket) => {
        this.#socket = socket;
      },
      (socket) => this.#continues.watch(socket),
    );
    this.#client = client;
    this.#origin = origin;
    const lost = (): void => {
      this.isConnected = false;
      if (this.#isFree) origin.closed(this);
    };
    client.on("connect", () => {
      this.isConnected = true;
      this.#socket = undefined;
    });
    client.on("disconnect", lost);
    client.on("connectionError", lost);
    client.on("drain", () => this.#release());
  }

  serve(options: Dispatcher.DispatchOptions, call: Call): void {
    this.#isFree = false;
    this.#call = call;
    if (this.#hasServed) this.#options = options;
    this.#continues.begin();
    call.onTaken?.(this);
    const hasRoom = this.#client.dispatch(options, this);
    // A request that the client refuses has ended at once, and no event follows.
    if (hasRoom || this.#call === undefined) queueMicrotask(() => this.#release());
  }

  /** Ends only an attempt to connect; an open connection stays open for other calls. */
  giveUp(call: Call): void {
    if (this.#call === call) this.#socket?.destroy(new Error("not needed any more"));
  }

  /** Ends the call that is served; the connection serves no further one. */
  destroy(): Promise<void> {
    this.#isFree = false;
    const destroyed = this.#client.destroy();
    this.#socket?.destroy(new Error("not needed any more"));
    return destroyed;
  }

  #release(): void {
    if (this.#isFree || this.#client.destroyed || this.#call !== undefined) return;
    this.#isFree = true;
    this.#origin.released(this);
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: object): void {
    this.#call?.onRequestStart?.(controller, context);
  }

  onResponseStart(controller: Dispatcher.DispatchController, ...rest: ResponseStart): void {
    this.#options = undefined;
    this.#call?.onResponseStart?.(controller, ...rest);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#call?.onResponseData?.(controller, chunk);
  }

  onResponseEnd(controller: Dispatcher.DispatchController, trailers: Headers): void {
    this.#hasServed = true;
    this.#end()?.onResponseEnd?.(controller, trailers);
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    const options = this.#options;
    const call = this.#end();
    if (call === undefined) return;
    if (options !== undefined && call.isOver !== true && isRepeatable(options, error)) this.#origin.again(options, call);
    else call.onResponseError?.(controller, error);
  }

  #end(): Call | undefined {
    const call = this.#call;
    this.#call = undefined;
    this.#options = undefined;
    return call;
  }
}

/**
 * True when a service has closed a kept connection before it began to answer. It may have done so before it saw the request, and methods
 * that only read may be sent twice (RFC 9112, 9.3.1).
 */
function isRepeatable({ method }: Dispatcher.DispatchOptions, error: Error): boolean {
  if (method !== "GET" && method !== "HEAD" && method !== "OPTIONS") return false;
  const code = codeOf(error);
  return code === "ECONNRESET" || code === "EPIPE" || (code === "UND_ERR_SOCKET" && error.message === "other side closed");
}

type Headers = Record<string, string | string[] | undefined>;
type ResponseStart = [status: number, headers: Headers, message?: string];
