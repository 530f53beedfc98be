import type { IncomingMessage } from "node:http";
import { Socket } from "node:net";

// A system resets a connection that is closed while bytes of its client are unread, and an answer that the client has not read yet is lost
// (RFC 9112, 9.6). Requests that are answered hold a connection for longer than this does.

/** Milliseconds without a byte, and milliseconds in all, after which nobody reads on. */
export const idleMs = 2_000;
const longestMs = 30_000;

/** Bytes that are read and forgotten: some times the usual bound of a body. */
const mostBytes = 67_108_864;

const lingering = new WeakSet<Socket>();

/** True while the rest of a refused request is read. */
export const isLingering = (socket: Socket): boolean => lingering.has(socket);

/** Ends our side of a connection, with a last text; reads what the client still sends until it closes, within bounds. */
export function linger(socket: Socket, last = ""): void {
  const close = (): unknown => socket.destroy();
  let rest = mostBytes;
  lingering.add(socket);
  // Without the listener of Node nothing more becomes a request.
  socket.removeAllListeners("data").on("data", ({ length }: Buffer) => {
    rest -= length;
    if (rest < 0) close();
  });
  socket.resume();
  socket.on("end", close).setTimeout(idleMs, close).end(last);
  const timer = setTimeout(close, longestMs).unref();
  socket.on("close", () => clearTimeout(timer));
}

/** The way in which Node closes a connection behind an answer: it lingers when the request has not been read to its end. */
export function destroySoon(this: Socket & { readonly parser?: { readonly incoming: IncomingMessage | null } | null }): void {
  if (this.parser?.incoming?.complete === false) linger(this);
  else Socket.prototype.destroySoon.call(this);
}
