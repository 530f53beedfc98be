import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createWebSocketStream, type ServerOptions, type WebSocket, WebSocketServer } from "ws";

export type { RawData, WebSocket } from "ws";

/** Bytes that a client may leave unread and still get an answer to its pings. */
const mostUnread = 65_536;

/** Parts of a message that is not complete: one of a single byte costs hundreds of them. Clients need a few. */
const mostFragments = 1_024;
/** Pieces in which the socket has read a frame that is not complete; each costs as much. */
const mostChunks = 2_048;

export interface WebSocketOptions {
  /** Largest message in bytes; a larger one closes the connection with 1009. */
  readonly maxBytes: number;
  /** Milliseconds that the other side has for its part of a closing handshake. */
  readonly closeTimeout: number;
  /** Chooses the sub-protocol among those that the client offers; false: none. */
  readonly protocol: (names: ReadonlySet<string>) => string | false;
}

/** The version of RFC 6455, the only one that is spoken. */
const webSocketVersion = "13";

export const speaksOurVersion = ({ headers }: IncomingMessage): boolean => headers["sec-websocket-version"] === webSocketVersion;

/**
 * Takes over connections that the HTTP server hands out, and speaks WebSocket on them (RFC 6455): text is checked to be UTF-8 (1007),
 * messages are bounded, nothing is compressed.
 */
export class WebSockets {
  readonly #server: WebSocketServer;
  #refuse: () => void = () => undefined;

  constructor({ maxBytes, closeTimeout, protocol }: WebSocketOptions) {
    // The types of the library do not know closeTimeout yet.
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

  /** Calls one of them at once: `opened` when the handshake is right, else `refuse`. */
  take(message: IncomingMessage, socket: Socket, head: Buffer, opened: (connection: WebSocket) => void, refuse: () => void): void {
    this.#refuse = refuse;
    this.#server.handleUpgrade(message, socket, head, (connection) => {
      // A client that sends pings and reads nothing must not fill our memory with answers.
      connection.on("ping", (data) => {
        if (connection.bufferedAmount < mostUnread) connection.pong(data);
      });
      opened(connection);
    });
  }
}

/** The bytes of binary messages as a stream, each write a message of its own. A text message ends the connection with 1003. */
export function streamOf(connection: WebSocket): Duplex {
  const stream = createWebSocketStream(connection);
  connection.prependListener("message", (_, isBinary) => {
    if (isBinary) return;
    // Nobody reads on, so that the text is not taken for bytes.
    stream.removeAllListeners("data");
    connection.close(1003);
  });
  return stream;
}
