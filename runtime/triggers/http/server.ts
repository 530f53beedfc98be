import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type Refusal, refusals } from "../../run/refusals.ts";
import { rawRefusal, refuse } from "./refusal.ts";

/** Answers a request. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Longest request target in characters, a byte each; the header block has a limit of its own. */
export const maxTarget = 16_384;

/**
 * True when a request names its host exactly once (RFC 9112, 3.2): with two names, a proxy before us may have read the other one. One of
 * HTTP/1.0 has no chunks either (6.1), since a proxy may have read another end of it.
 */
export function isPlain({ headers, httpVersion }: IncomingMessage): boolean {
  const { host } = headers;
  if (httpVersion === "1.0" && headers["transfer-encoding"] !== undefined) return false;
  return host === undefined ? httpVersion === "1.0" : !host.includes(",");
}

/** How long the server waits for its clients, in milliseconds (spec/surfaces 1). */
export interface Waits {
  /** For the headers and the body of a request. */
  readonly request: number;
  /** For the next request on a connection. */
  readonly keepAlive: number;
}

/**
 * A bare HTTP server with the limits of spec/surfaces 1; requests that cannot be parsed are answered here. Requests for another protocol
 * are `upgrade` events where `upgrades` says so, and ordinary requests otherwise (RFC 9110, 7.8: a server may ignore the header).
 */
export function boundedServer(handler: Handler, { request, keepAlive }: Waits, upgrades: (message: IncomingMessage) => boolean): Server {
  // A slow client is noticed at the interval of checks. Repeated headers reach a configuration as one joined value; Node would keep only
  // the first value of some. A request that has no host is refused here like any other wrong request; Node itself would answer it.
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
  const server = createServer(options, handler);
  server.maxConnections = 10_000;
  server.on("checkExpectation", (_message, response) => refuse(response, refusals.expectationFailed, undefined));
  // No proxy: Node would hang up without a word.
  server.on("connect", (_message, socket: Socket) => hangUp(socket, refusals.badRequest));
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => hangUp(socket, refusalOf(error.code)));
  return server;
}

/** Ends a connection on which nothing can follow, with an answer where that is possible. */
function hangUp(socket: Socket, refusal: Refusal | undefined): void {
  // Node has removed its error listener: an error of the connection would now end the process.
  socket.on("error", () => socket.destroy());
  // The response that Node is still writing to the socket: ours must not run into it.
  const { _httpMessage: busy } = socket as Socket & { _httpMessage?: ServerResponse | null };
  if (refusal === undefined || !socket.writable || busy?.headersSent) socket.destroy();
  else socket.end(rawRefusal(refusal), () => socket.destroy());
}

/** Undefined when the client is gone. */
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
  return urlOf(server.address() as AddressInfo); // it listens on a port, not on a pipe
}

/** A wildcard address is reached by way of the loopback one. */
function urlOf({ address, port }: AddressInfo): string {
  const reached = address === "0.0.0.0" ? "127.0.0.1" : address === "::" ? "::1" : address;
  return `http://${reached.includes(":") ? `[${reached}]` : reached}:${port}`;
}
