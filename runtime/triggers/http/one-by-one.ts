import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Answers a request. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** The answer that is being written on a connection; it is Node's only sign that a connection is busy. */
export const answerOn = (socket: Socket): ServerResponse | null | undefined =>
  (socket as Socket & { readonly _httpMessage?: ServerResponse | null })._httpMessage;

/** The most requests of a connection that wait for the answers before them. */
const mostWaiting = 100;

/** The last waiting request of a connection, and their number. */
const waiting = new WeakMap<Socket, { readonly last: ServerResponse; readonly count: number }>();

/**
 * Handles the requests of a connection one by one. A client may send many before it reads an answer (pipelining), and a few kilobytes of
 * them would fill the memory with answers. After too many, the connection closes, and the client has to send the rest again (RFC 9112,
 * 9.3.2).
 */
export const oneByOne =
  (handler: Handler): Handler =>
  (message, response) => {
    const { socket } = message;
    // Node assigns the connection to one answer at a time.
    if (response.socket !== null) {
      handler(message, response);
      return;
    }
    const { last = answerOn(socket), count = 0 } = waiting.get(socket) ?? {};
    if (count === mostWaiting) return;
    waiting.set(socket, { last: response, count: count + 1 });
    if (count + 1 === mostWaiting) {
      response.shouldKeepAlive = false;
      // As many requests as may wait have arrived: further bytes become no request.
      socket.removeAllListeners("data").on("data", () => undefined);
    }
    last?.once("close", () => {
      const line = waiting.get(socket);
      // The client has disconnected.
      if (response.socket === null || line === undefined) return;
      if (line.last === response) waiting.delete(socket);
      else waiting.set(socket, { ...line, count: line.count - 1 });
      handler(message, response);
    });
  };
