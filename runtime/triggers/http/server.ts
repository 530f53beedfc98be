import { createServer, IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type Refusal, refusals } from "../../run/refusals.ts";
import { Roster } from "../../value/roster.ts";
import { destroySoon, idleMs, isLingering, linger } from "./linger.ts";
import { answerOn, type Handler, oneByOne } from "./one-by-one.ts";
import { rawRefusal, refuse } from "./refusal.ts";

/** The longest request target in characters, each of them a byte; the header block has a limit of its own. */
export const maxTarget = 16_384;

/**
 * A host, which may be empty, and its port (RFC 9112, 3.2). Node joins two host headers with a comma, which this pattern does not match.
 */
const hostAndPort = /^(?:\[[\w:.%~-]+\]|[\w.~!$&'()*+;=%-]*)(?::\d*)?$/;

/**
 * True when a request names its host exactly once (RFC 9112, 3.2): with two names, a proxy in front may have read the other one. A request
 * of HTTP/1.0 must have no chunks (6.1), since a proxy may have seen another end of it. A target with a host of its own replaces the header
 * (3.2.2).
 */
export function isUnambiguous({ headers, httpVersion, url = "/" }: IncomingMessage): boolean {
  const { host } = headers;
  if (httpVersion === "1.0" && headers["transfer-encoding"] !== undefined) return false;
  if (host === undefined ? httpVersion !== "1.0" : !hostAndPort.test(host)) return false;
  const own = url.startsWith("/") ? undefined : /^https?:\/\/([^/?#]*)/i.exec(url)?.[1];
  if (own === undefined) return true;
  headers.host = own;
  return own !== "" && hostAndPort.test(own);
}

/** How long the server waits for its clients, in milliseconds (spec/surfaces 1). */
export interface Waits {
  /** Milliseconds for the headers and the body of a request. */
  readonly request: number;
  /** Milliseconds for the next request on a connection. */
  readonly keepAlive: number;
}

/**
 * A bare HTTP server with the limits of spec/surfaces 1; it answers requests that cannot be parsed. Requests for another protocol are
 * `upgrade` events where `upgrades` gives true, and ordinary requests otherwise (RFC 9110, 7.8: a server may ignore the header).
 */
export function boundedServer(
  handler: Handler,
  { request, keepAlive }: Waits,
  upgrades: (message: IncomingMessage) => boolean,
): BoundedServer {
  // The interval of checks finds slow clients. Repeated headers reach a configuration as one joined value; Node would keep only the first
  // value of some. A request without a host is refused here like any other wrong request; Node itself would answer it.
  const options = {
    shouldUpgradeCallback: upgrades,
    maxHeaderSize: 32_768,
    requestTimeout: request,
    headersTimeout: request,
    keepAliveTimeout: keepAlive,
    connectionsCheckingInterval: Math.min(5_000, request),
    joinDuplicateHeaders: true,
    requireHostHeader: false,
  };
  const server = createServer(options, oneByOne(handler));
  server.maxConnections = 10_000;
  // When a server closes, Node cuts answers that are written but not yet sent; `ended` closes the other connections.
  server.closeIdleConnections = () => undefined;
  const sockets = new Roster<Socket>();
  server.on("connection", (socket: Socket) => {
    socket.destroySoon = destroySoon;
    socket.once("close", sockets.add(socket));
  });
  const continues: Handler = (message, response) => {
    continueWhenRead(message, response);
    handler(message, response);
  };
  server.on("checkContinue", oneByOne(continues));
  server.on("checkExpectation", (_message, response) => refuse(response, refusals.expectationFailed, undefined));
  // This server is no proxy; without the listener, Node would disconnect without an answer.
  server.on("connect", (_message, socket: Socket) => hangUp(socket, refusals.badRequest));
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => hangUp(socket, refusalOf(error.code)));
  return { server, sockets };
}

/** A server, and its open connections. */
export interface BoundedServer {
  readonly server: Server;
  readonly sockets: Iterable<Socket>;
}

/**
 * Stops listening, and resolves when every request that has arrived is answered. Connections without a request are closed at once; the rest
 * of a refused request is read for a moment, so that its client gets the refusal.
 */
export async function ended({ server, sockets }: BoundedServer): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  const began = performance.now();
  const look = (): void => {
    const isPatient = performance.now() - began < idleMs;
    for (const socket of sockets) if (!answerOn(socket) && !(isPatient && isLingering(socket))) socket.destroy();
  };
  look();
  const timer = setInterval(look, 50);
  await closed;
  clearInterval(timer);
}

/**
 * Sends `100 Continue` when the body is read, for a client that waits for it: a refusal comes instead (RFC 9110, 10.1.1). After a refusal
 * it is unknown whether the body follows, so that the connection cannot be used again.
 */
function continueWhenRead(message: IncomingMessage, response: ServerResponse): void {
  const isKept = response.shouldKeepAlive;
  response.shouldKeepAlive = false;
  message._read = (size) => {
    message._read = IncomingMessage.prototype._read;
    if (!response.headersSent) {
      response.shouldKeepAlive = isKept;
      response.writeContinue();
    }
    message._read(size);
  };
}

/** Ends a connection that cannot be used again, with an answer if possible. */
function hangUp(socket: Socket, refusal: Refusal | undefined): void {
  // Node has removed its error listener, so that an error of the connection would end the process.
  socket.on("error", () => socket.destroy());
  // A refusal must not run into a response that Node is still writing to the socket.
  if (refusal === undefined || !socket.writable || answerOn(socket)?.headersSent) socket.destroy();
  else if (refusal === refusals.requestTimeout) socket.end(rawRefusal(refusal), () => socket.destroy());
  else linger(socket, rawRefusal(refusal));
}

/** The refusal for an error code; undefined when the client has disconnected. */
function refusalOf(code: string | undefined): Refusal | undefined {
  if (code === "ECONNRESET" || code === "EPIPE") return undefined;
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return refusals.requestTimeout;
  if (code === "HPE_HEADER_OVERFLOW") return refusals.headersTooLarge;
  return code === "HPE_CHUNK_EXTENSIONS_OVERFLOW" ? refusals.payloadTooLarge : refusals.badRequest;
}

/** Starts to listen; gives the address as a URL. Rejects with the error of the socket. */
export async function listenAt(server: Server, address: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, () => {
      server.off("error", reject);
      resolve();
    });
  });
  return urlOf(server.address() as AddressInfo); // the server listens on a port, not on a pipe
}

/** The URL of an address. A wildcard address is reached by the loopback address. */
function urlOf({ address, port }: AddressInfo): string {
  const reached = address === "0.0.0.0" ? "127.0.0.1" : address === "::" ? "::1" : address;
  return `http://${reached.includes(":") ? `[${reached}]` : reached}:${port}`;
}
