import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A small server beside that of the interfaces, on an address of its own. It does not keep a process alive. */
export class SideServer {
  readonly #server;

  constructor(answer: (message: IncomingMessage, response: ServerResponse) => void) {
    this.#server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000, maxHeaderSize: 16_384 }, answer);
    this.#server.maxConnections = 100;
    // Clients that do not read would soon take all the few connections, and each request that has arrived holds its answer in memory.
    this.#server.timeout = 30_000;
    this.#server.maxRequestsPerSocket = 10;
  }

  /** Gives the address as a URL. Rejects with the error of the socket. */
  async listen(address: string, port: number): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, address, () => {
        this.#server.off("error", reject);
        resolve();
      });
    });
    // An open server must not keep the process alive.
    this.#server.unref();
    const bound = this.#server.address() as AddressInfo; // the server listens on a port
    return `http://${bound.family === "IPv6" ? `[${bound.address}]` : bound.address}:${bound.port}`;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }
}
