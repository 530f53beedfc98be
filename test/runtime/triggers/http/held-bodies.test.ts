import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { configOf, type Got, send, served } from "../../../harness/sockets.ts";
import { until } from "../../../harness/until.ts";
import { type Serving, serving } from "./http-serving.ts";

// Large bodies have a bound of their sum, besides that of each (spec/surfaces 0 and 1).

let base: Serving;
let sockets: Socket[] = [];
/** Ends the runs of `/wait`. */
let go: () => void = () => undefined;

beforeEach(async () => {
  const gone = new Promise<void>((resolve) => {
    go = resolve;
  });
  const config = configOf(
    served("POST", "/size", (cx) => String(cx.raw_body).length),
    served("POST", "/wait", async () => {
      await gone;
      return null;
    }),
  );
  base = await serving(config, { maxBodyBytes: 100_000, maxBodiesBytes: 150_000 });
});
afterEach(async () => {
  go();
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await base.trigger.drain(0, 0);
});

/** A client that has sent so many bytes of a body of 100,000, and nothing more. */
async function slow(path: string, bytes: number): Promise<Socket> {
  const { hostname, port } = new URL(base.url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  await once(socket, "connect");
  socket.write(`POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: text/plain\r\ncontent-length: 100000\r\n\r\n`);
  socket.write("x".repeat(bytes));
  return socket;
}

const post = (size: number, path = "/size"): Promise<Got> =>
  send(base.url, path, { method: "POST", headers: { "content-type": "text/plain" }, body: "x".repeat(size) });

const isFull = (): Promise<void> => until(async () => expect((await post(90_000)).status).toBe(503));
const isFree = (): Promise<void> => until(async () => expect((await post(90_000)).status).toBe(200));

test("a body beyond the sum is refused, a short one is not, and one that goes away makes room", async () => {
  const first = await slow("/size", 99_000);
  await isFull();
  const { status, headers, text } = await post(90_000);
  expect([status, text, headers["retry-after"], headers.connection]).toEqual([503, '{"error":"too_many_bodies"}', "1", "close"]);
  expect((await post(10)).status).toBe(200);
  first.destroy();
  await isFree();
});

test("a body is held until its request is answered", async () => {
  const waiting = post(99_000, "/wait");
  await isFull();
  go();
  expect((await waiting).status).toBe(200);
  await isFree();
  for (let i = 0; i < 5; i++) expect((await post(99_000)).status).toBe(200);
});

test("a compressed body counts as large as it is, and one alone is never too much", async () => {
  const packed = gzipSync("x".repeat(90_000));
  const headers = { "content-type": "text/plain", "content-encoding": "gzip" };
  const inflated = (): Promise<Got> => send(base.url, "/size", { method: "POST", headers, body: packed });
  expect((await inflated()).status).toBe(200);
  await slow("/size", 99_000);
  await isFull();
  const all = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(inflated));
  expect(all.map(({ status }) => status)).toEqual(all.map(() => 503));
});

test("many compressed bodies at once are inflated one after the other", async () => {
  const packed = gzipSync("x".repeat(99_000));
  const headers = { "content-type": "text/plain", "content-encoding": "gzip" };
  const all = await Promise.all(Array.from({ length: 30 }, () => send(base.url, "/size", { method: "POST", headers, body: packed })));
  const statuses = new Set(all.map(({ status }) => status));
  statuses.delete(503);
  expect([...statuses]).toEqual([200]);
  await isFree();
});

test("clients that go away before their bodies are inflated leave nothing behind", async () => {
  const packed = gzipSync("x".repeat(99_000));
  const { hostname, port } = new URL(base.url);
  const head = `POST /size HTTP/1.1\r\nhost: a\r\ncontent-type: text/plain\r\ncontent-encoding: gzip\r\ncontent-length: ${packed.length}\r\n\r\n`;
  const gone = Array.from({ length: 50 }, async () => {
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    socket.write(Buffer.concat([Buffer.from(head), packed]), () => socket.destroy());
    await once(socket, "close");
  });
  await Promise.all(gone);
  await isFree();
  expect(base.logged).toEqual([]);
});
