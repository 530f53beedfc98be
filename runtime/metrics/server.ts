import type { IncomingMessage, ServerResponse } from "node:http";
import { SideServer } from "../process/side-server.ts";

/** Reads the metrics in one of the two formats. */
type Read = (openMetrics: boolean) => Promise<{ readonly type: string; readonly text: string }>;

/** Serves `GET /metrics` on an address of its own, without authentication (spec/surfaces 16). */
export class MetricsServer {
  readonly #read: Read;
  readonly #server = new SideServer((message, response) => this.#answer(message, response));

  constructor(read: Read) {
    this.#read = read;
  }

  async listen(address: string, port: number): Promise<string> {
    return `${await this.#server.listen(address, port)}/metrics`;
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  #answer({ method, url = "/", headers }: IncomingMessage, response: ServerResponse): void {
    const say = (status: number, type: string, text: string, more: Readonly<Record<string, string>> = {}): void => {
      response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(text), ...more }).end(text);
    };
    if (url.replace(/\?.*$/s, "") !== "/metrics") say(404, "application/json", '{"error":"not_found"}');
    else if (method !== "GET" && method !== "HEAD") say(405, "application/json", '{"error":"method_not_allowed"}', { allow: "GET, HEAD" });
    else {
      this.#read(prefersOpenMetrics(headers.accept)).then(
        ({ type, text }) => say(200, type, text),
        () => say(500, "application/json", '{"error":"internal_error"}'),
      );
    }
  }
}

/** True when a client accepts the OpenMetrics format, with at least the preference of plain text (RFC 9110, 12.5.1). */
function prefersOpenMetrics(accept = ""): boolean {
  const ranges = accept.split(",").map((range) => range.split(";").map((part) => part.trim().toLowerCase()));
  const weightOf = (type: string): number =>
    Math.max(0, ...ranges.filter(([name]) => name === type).map((parts) => Number(/^q=([\d.]+)$/.exec(parts.at(-1) ?? "")?.[1] ?? 1)));
  const weight = weightOf("application/openmetrics-text");
  return weight > 0 && weight >= weightOf("text/plain");
}
