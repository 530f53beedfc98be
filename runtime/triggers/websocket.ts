import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createWebSocketStream, type ServerOptions, type WebSocket, WebSocketServer } from "ws";

export type { RawData, WebSocket } from "ws";

/** The most bytes that a client may leave unread and still get answers to its pings. */
const mostUnread = 65_536;

/** Parts of a message that is not complete: one of a single byte costs hundreds of them. Clients need a few. */
const mostFragments = 1_024;
/** Pieces in which the socket has read a frame that is not complete; each costs as much. */
const mostChunks = 2_048;

export interface WebSocketOptions {
  /** The most bytes of a message; a larger one closes the connection with 1009. */
  readonly maxBytes: number;
  /** Milliseconds within which the other side must do its part of a closing handshake. */
  readonly closeTimeout: number;
  /** Chooses the sub-protocol among those that the client offers; false for none. */
  readonly protocol: (names: ReadonlySet<string>) => string | false;
}

/** The only supported version of the protocol (RFC 6455). */
const webSocketVersion = "13";

export const speaksOurVersion = ({ headers }: IncomingMessage): boolean => headers["sec-websocket-version"] === webSocketVersion;

/**
 * Takes over connections of the HTTP server, and speaks WebSocket on them (RFC 6455): text must be UTF-8 (1007), messages are bounded, and
 * nothing is compressed.
 */
export class WebSockets {
  readonly #server: WebSocketServer;
  #refuse: () => void = () => undefined;

  constructor({ maxBytes, closeTimeout, protocol }: WebSocketOptions) {
    // The library's types lack `closeTimeout`.
    const options: ServerOptions & { readonly closeTimeout: number } = {
      noServer: true,
      // Each protocol keeps a list of its own connections.
      clientTracking: false,
      perMessageDeflate: false,
      autoPong: false,
      maxPayload: maxBytes,
      maxFragments: mostFragments,
      maxBufferedChunks: mostChunks,
      closeTimeout,
      handleProtocols: protocol,
    };
    this.#server = new WebSocketServer(options);
    this.#server.on("wsClientError", () => this.#refuse());
  }

  /** Does the handshake. It calls `opened` at once when the handshake is valid, else `refuse`. */
  take(message: IncomingMessage, socket: Socket, head: Buffer, opened: (connection: WebSocket) => void, refuse: () => void): void {
    this.#refuse = refuse;
    this.#server.handleUpgrade(message, socket, head, (connection) => {
      // A client that sends pings and reads nothing must not fill the memory with answers.
      connection.on("ping", (data) => {
        if (connection.bufferedAmount < mostUnread) connection.pong(data);
      });
      opened(connection);
    });
  }
}

/** The bytes of binary messages as a stream; each write is a message of its own. A text message ends the connection with 1003. */
export function streamOf(connection: WebSocket): Duplex {
  const stream = createWebSocketStream(connection);
  connection.prependListener("message", (_, isBinary) => {
    if (isBinary) return;
    // Without listeners, the text cannot be taken for bytes.
    stream.removeAllListeners("data");
    connection.close(1003);
  });
  return stream;
}
