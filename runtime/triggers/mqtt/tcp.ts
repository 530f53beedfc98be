import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { Bind } from "../../process/settings/bind.ts";

/** Connections that the system may hand over; those that are too many for the broker are told so by it. */
const mostSockets = 10_000;

/** Takes connections without WebSocket. */
export class TcpServer {
  readonly url: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    const { address, port } = server.address() as AddressInfo; // it listens on a port, not on a pipe
    this.url = `mqtt://${address.includes(":") ? `[${address}]` : address}:${port}`;
  }

  /** Gives a server that listens, or a text that says why it cannot. */
  static async at({ address, port }: Bind, accept: (socket: Socket) => void): Promise<TcpServer | string> {
    const server = createServer({ noDelay: true }, accept);
    server.maxConnections = mostSockets;
    return new Promise((resolve) => {
      server.once("error", ({ code, message }: NodeJS.ErrnoException) => resolve(`${address}:${port} cannot be used: ${code ?? message}`));
      server.listen(port, address, () => {
        // A connection that cannot be taken, as when the system has no more files, is not the end of the others.
        server.removeAllListeners("error").on("error", () => undefined);
        resolve(new TcpServer(server));
      });
    });
  }

  /** Takes no further connections. */
  close(): void {
    this.#server.close();
  }
}
