import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { Bind } from "../../process/settings/bind.ts";

/** The most connections that the system may hand over; the broker refuses the ones that are too many for it. */
const mostSockets = 10_000;

/** Accepts connections without WebSocket. */
export class TcpServer {
  readonly url: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    const { address, port } = server.address() as AddressInfo; // it listens on a port, not on a pipe
    this.url = `mqtt://${address.includes(":") ? `[${address}]` : address}:${port}`;
  }

  /** Gives a listening server, or the reason why it cannot listen. */
  static async at({ address, port }: Bind, accept: (socket: Socket) => void): Promise<TcpServer | string> {
    const server = createServer({ noDelay: true }, accept);
    server.maxConnections = mostSockets;
    return new Promise((resolve) => {
      server.once("error", ({ code, message }: NodeJS.ErrnoException) => resolve(`${address}:${port} cannot be used: ${code ?? message}`));
      server.listen(port, address, () => {
        // A failure to accept one connection, for example because the system has no free file, must not end the others.
        server.removeAllListeners("error").on("error", () => undefined);
        resolve(new TcpServer(server));
      });
    });
  }

  /** Accepts no further connections. */
  close(): void {
    this.#server.close();
  }
}
