import { connect, type Socket } from "node:net";
import { quantile } from "./statistics.ts";

/** One request, as it goes over the wire again and again. */
export interface Shot {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The measurement of one stretch of load. Latencies in milliseconds. */
export interface Measured {
  readonly requests: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
}

/** Keeps `connections` requests under way for `seconds`; rejects when an answer is no 200. */
export type Load = (url: URL, shot: Shot, connections: number, seconds: number) => Promise<Measured>;

/**
 * Load from this process, over bare sockets: an HTTP client costs as much as the servers under test, which would wait for their load and
 * pay for every wake-up.
 */
export const socketLoad: Load = async (url, shot, connections, seconds) => {
  const latencies: number[] = [];
  const began = performance.now();
  const until = began + seconds * 1000;
  await askWhile(url, shot, connections, latencies, () => performance.now() < until);
  const elapsed = (performance.now() - began) / 1000;
  return { requests: latencies.length, seconds: elapsed, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) };
};

/** Sends this number of requests, and no more, so that what they cost in total can be compared. */
export async function countedLoad(url: URL, shot: Shot, connections: number, requests: number): Promise<void> {
  let left = requests - connections;
  await askWhile(url, shot, connections, [], () => left-- > 0);
}

async function askWhile(url: URL, shot: Shot, connections: number, latencies: number[], goesOn: () => boolean): Promise<void> {
  const request = requestBytes(url, shot);
  await Promise.all(Array.from({ length: connections }, () => keepAsking(url, request, latencies, goesOn)));
}

function requestBytes({ host }: URL, { method, path, headers, body = "" }: Shot): Buffer {
  const all = { host, ...headers, ...(body === "" ? {} : { "content-length": String(Buffer.byteLength(body)) }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
}

function keepAsking({ hostname, port }: URL, request: Buffer, latencies: number[], goesOn: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let sent = 0;
    let answer = "";
    const ask = (): void => {
      sent = performance.now();
      answer = "";
      socket.write(request);
    };
    socket.setEncoding("latin1");
    socket.on("connect", ask);
    socket.on("error", reject);
    socket.on("close", () => reject(new Error(`the server has hung up after '${answer}'`)));
    socket.on("data", (chunk: string) => {
      answer += chunk;
      if (!isWhole(answer)) return;
      latencies.push(performance.now() - sent);
      if (!answer.startsWith("HTTP/1.1 200 ")) socket.destroy();
      else if (goesOn()) ask();
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
