import { connect, type Socket } from "node:net";

/** One request, as it goes over the wire again and again. */
export interface Shot {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What one stretch of load has measured. Latencies in milliseconds. */
export interface Load {
  readonly requests: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
}

/**
 * Keeps `connections` requests under way for `seconds`. Bare sockets: an HTTP client costs as much as the servers under test, which
 * would then wait for their load and pay for every wake-up. Throws at the first answer that is not a 200.
 */
export async function load(url: URL, shot: Shot, connections: number, seconds: number): Promise<Load> {
  const request = requestBytes(url, shot);
  const latencies: number[] = [];
  const began = performance.now();
  const until = began + seconds * 1000;
  await Promise.all(Array.from({ length: connections }, () => keepAsking(url, request, until, latencies)));
  const elapsed = (performance.now() - began) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  return { requests: latencies.length, seconds: elapsed, p50: at(0.5), p99: at(0.99) };
}

function requestBytes({ host }: URL, { method, path, headers, body = "" }: Shot): Buffer {
  const all = { host, ...headers, ...(body === "" ? {} : { "content-length": String(Buffer.byteLength(body)) }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
}

function keepAsking({ hostname, port }: URL, request: Buffer, until: number, latencies: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let sent = 0;
    let received = "";
    const ask = (): void => {
      sent = performance.now();
      received = "";
      socket.write(request);
    };
    socket.setEncoding("latin1");
    socket.on("connect", ask);
    socket.on("error", reject);
    socket.on("data", (chunk: string) => {
      received += chunk;
      if (!isWhole(received)) return;
      if (!received.startsWith("HTTP/1.1 200 ")) {
        reject(new Error(`unexpected answer: ${received.slice(0, 300)}`));
        socket.destroy();
        return;
      }
      const now = performance.now();
      latencies.push(now - sent);
      if (now < until) ask();
      else socket.end(resolve);
    });
  });
}

/** Every server here says how long its answers are. */
function isWhole(answer: string): boolean {
  const head = answer.indexOf("\r\n\r\n");
  const length = /\r\ncontent-length: (\d+)/i.exec(answer)?.[1];
  return head >= 0 && answer.length >= head + 4 + Number(length);
}
