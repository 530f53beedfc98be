import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What a reader gets. */
type Read = (openMetrics: boolean) => Promise<{ readonly type: string; readonly text: string }>;

/** Serves `GET /metrics` on an address of its own: it asks nobody who they are (surfaces.md 16). */
export class MetricsServer {
  readonly #read: Read;
  readonly #server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000, maxHeaderSize: 16_384 }, (message, response) =>
    this.#answer(message, response),
  );

  constructor(read: Read) {
    this.#read = read;
    this.#server.maxConnections = 100;
  }

  async listen(address: string, port: number): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, address, () => {
        this.#server.off("error", reject);
        resolve();
      });
    });
    // Readers come and go; they do not keep a process alive.
    this.#server.unref();
    const bound = this.#server.address() as AddressInfo; // it listens on a port
    return `http://${bound.family === "IPv6" ? `[${bound.address}]` : bound.address}:${bound.port}/metrics`;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  #answer({ method, url = "/", headers }: IncomingMessage, response: ServerResponse): void {
    const say = (status: number, type: string, text: string): void => {
      response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(text) }).end(text);
    };
    if (url.replace(/\?.*$/s, "") !== "/metrics") say(404, "application/json", '{"error":"not_found"}');
    else if (method !== "GET" && method !== "HEAD") say(405, "application/json", '{"error":"method_not_allowed"}');
    else {
      this.#read(/\bapplication\/openmetrics-text\b/.test(headers.accept ?? "")).then(
        ({ type, text }) => say(200, type, text),
        () => say(500, "application/json", '{"error":"internal_error"}'),
      );
    }
  }
}
