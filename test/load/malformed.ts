import { connect } from "node:net";
import { once } from "./good.ts";
import { startService } from "./process.ts";
import { randomFrom } from "./random.ts";

const methods = ["GET", "POST", "PUT", "get", "", "G\0T", "OPTIONS", "CONNECT", "TRACE", "X".repeat(400)];
const targets = [
  "/now",
  "/echo",
  "*",
  "/%ff",
  "/..//%2e%2e/",
  "http://[::1/now",
  "/now?a[]=%",
  `/${"a/".repeat(900)}`,
  "/\u00ff\u0001",
  "",
];
const versions = ["HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/1.", "http/1.1", "", "HTTP/99.99"];
const headers = [
  ...[
    "host: a",
    "Host: a\r\nHost: b",
    "host:",
    "content-length: 5",
    "content-length: -5",
    "content-length: 99999999999999999999",
    "content-length: 5, 5",
  ],
  ...[
    "transfer-encoding: chunked",
    "transfer-encoding: chunked, chunked",
    "transfer-encoding : chunked",
    "transfer-encoding: \u000bchunked",
  ],
  ...[
    "content-type: application/json",
    "content-type: multipart/form-data; boundary=",
    "content-encoding: gzip",
    "content-encoding: br",
    "expect: 100-continue",
  ],
  ...[
    "connection: upgrade\r\nupgrade: h2c",
    "x: \u0000",
    " folded: x",
    "noColon",
    `x-long: ${"y".repeat(5_000)}`,
    "x-request-id: \r\n x",
    "traceparent: 00-",
  ],
];
const bodies = [
  "",
  "{}",
  '{"n":',
  "5\r\nhello\r\n0\r\n\r\n",
  "FFFFFFFFFFFFFFFF\r\n",
  "-1\r\nx",
  "0\r\nx: y\r\n",
  "\u001f\u008b\u0008\u0000",
  '{"__proto__":{"n":1}}',
  "[".repeat(2_000),
];

/** The bytes of something that looks more or less like a request. */
export function mangled(random: () => number): Buffer {
  const one = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? "";
  const lines = Array.from({ length: Math.floor(random() * 6) }, () => one(headers));
  const newline = random() < 0.9 ? "\r\n" : "\n";
  const text = [`${one(methods)} ${one(targets)} ${one(versions)}`, ...lines, "", one(bodies)].join(newline);
  const bytes = Buffer.from(text, "latin1");
  for (let flips = random() < 0.5 ? Math.floor(random() * 4) : 0; flips > 0; flips--)
    bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
  return random() < 0.2 ? bytes.subarray(0, Math.floor(random() * bytes.length)) : bytes;
}

export interface MalformedResult {
  readonly sent: number;
  readonly asked: number;
  readonly failures: readonly string[];
  readonly peakMiB: number;
  readonly exit: number | null;
}

/** Sends such bytes for a time; asks a right question beside them again and again. */
export async function malformed(seconds: number, seed = 1): Promise<MalformedResult> {
  const service = await startService();
  const random = randomFrom(seed);
  const ends = performance.now() + seconds * 1_000;
  let [sent, asked] = [0, 0];
  const failures: string[] = [];
  const attack = async (): Promise<void> => {
    for (; performance.now() < ends; sent++) await thrown(service.url, mangled(random), random() < 0.3 ? 0 : 50);
  };
  const ask = async (): Promise<void> => {
    for (; performance.now() < ends; asked++) {
      const problem = await once(service.url, false);
      if (problem !== undefined) failures.push(problem);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  await Promise.all([...Array.from({ length: 16 }, attack), ask()]);
  const peakMiB = service.peak();
  service.child.kill("SIGTERM");
  return { sent, asked, failures, peakMiB, exit: await service.ended };
}

/** Sends bytes, and goes away at the latest after some milliseconds. */
function thrown(url: string, bytes: Buffer, ms: number): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(bytes);
      if (ms === 0) socket.destroy();
      else setTimeout(() => socket.destroy(), ms);
    });
    socket.on("data", () => undefined);
    socket.on("error", () => undefined);
    socket.on("close", () => resolve());
  });
}
