import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Answers a request. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** The answer for which a connection has a request, until it is written; Node has no other word for a connection that is busy. */
export const answerOn = (socket: Socket): ServerResponse | null | undefined =>
  (socket as Socket & { readonly _httpMessage?: ServerResponse | null })._httpMessage;

/** Requests of a connection that may wait for the answers to those before them. */
const mostWaiting = 100;

/** The last request that waits on a connection, and how many do. */
const waiting = new WeakMap<Socket, { readonly last: ServerResponse; readonly count: number }>();

/**
 * Handles the requests of a connection one by one. A client may send many before it reads an answer (pipelining), and a few kilobytes of
 * them would fill the memory with answers. Behind too many the connection closes; the client has to send the rest again (RFC 9112, 9.3.2).
 */
export const oneByOne =
  (handler: Handler): Handler =>
  (message, response) => {
    const { socket } = message;
    // Node gives the connection to one answer at a time.
    if (response.socket !== null) {
      handler(message, response);
      return;
    }
    const { last = answerOn(socket), count = 0 } = waiting.get(socket) ?? {};
    if (count === mostWaiting) return;
    waiting.set(socket, { last: response, count: count + 1 });
    if (count + 1 === mostWaiting) {
      response.shouldKeepAlive = false;
      // All that may wait has arrived: nothing more becomes a request.
      socket.removeAllListeners("data").on("data", () => undefined);
    }
    last?.once("close", () => {
      const line = waiting.get(socket);
      // The client has gone.
      if (response.socket === null || line === undefined) return;
      if (line.last === response) waiting.delete(socket);
      else waiting.set(socket, { ...line, count: line.count - 1 });
      handler(message, response);
    });
  };
