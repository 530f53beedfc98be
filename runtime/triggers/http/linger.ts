import type { IncomingMessage } from "node:http";
import { Socket } from "node:net";

// When a connection is closed while bytes of its client are unread, the system resets it, and an answer that the client has not read yet is
// lost (RFC 9112, 9.6). Reading on holds a connection for less time than an ordinary request may.

/** Milliseconds without a byte, and milliseconds in all, after which reading ends. */
export const idleMs = 2_000;
const longestMs = 30_000;

/** The most bytes that are read and discarded: several times the usual bound of a body. */
const mostBytes = 67_108_864;

const lingering = new WeakSet<Socket>();

/** True while the rest of a refused request is read. */
export const isLingering = (socket: Socket): boolean => lingering.has(socket);

/** Ends this side of a connection, with a last text, and reads further bytes of the client until it closes, within bounds. */
export function linger(socket: Socket, last = ""): void {
  const close = (): unknown => socket.destroy();
  let rest = mostBytes;
  lingering.add(socket);
  // Without the listener of Node, further bytes become no request.
  socket.removeAllListeners("data").on("data", ({ length }: Buffer) => {
    rest -= length;
    if (rest < 0) close();
  });
  socket.resume();
  socket.on("end", close).setTimeout(idleMs, close).end(last);
  const timer = setTimeout(close, longestMs).unref();
  socket.on("close", () => clearTimeout(timer));
}

/** Closes a connection after an answer, in place of Node's own method: it lingers when the request was not read to its end. */
export function destroySoon(this: Socket & { readonly parser?: { readonly incoming: IncomingMessage | null } | null }): void {
  if (this.parser?.incoming?.complete === false) linger(this);
  else Socket.prototype.destroySoon.call(this);
}
