import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configOf, sendRaw, served } from "../../../harness/sockets.ts";
import { untilTrue } from "../../../harness/until.ts";
import { type Serving, serving } from "./http-serving.ts";

const mebibyte = 1_048_576;

const config = configOf(
  served("GET", "/w", (cx) => cx.params),
  served("POST", "/echo", (cx) => cx.body),
);

let base: Serving;
beforeAll(async () => {
  base = await serving(config, { maxBodyBytes: mebibyte });
});
afterAll(() => base.trigger.drain(0, 0));

/** A connection to a server. */
async function connected({ url }: Serving): Promise<Socket> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  return socket;
}

/** Waits until a server takes no more connections. */
const nobodyListens = (serving: Serving): Promise<void> =>
  untilTrue(() =>
    connected(serving).then(
      (another) => another.destroy().pending,
      () => true,
    ),
  );

/** The answer to a client that reads nothing until all of its request is written. */
async function sentFirst(serving: Serving, bytes: Buffer): Promise<string> {
  const socket = await connected(serving);
  await new Promise<void>((resolve, reject) => socket.write(bytes, (error) => (error ? reject(error) : resolve())));
  let text = "";
  for await (const chunk of socket) text += chunk.toString();
  return text;
}

describe("an answer that closes its connection reaches a client that is still sending", () => {
  const body = Buffer.alloc(12 * mebibyte, "x");
  const length = `content-length: ${body.length}`;
  const chunk = Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from("\r\n0\r\n\r\n")]);
  test.each<[string, string, Buffer, number]>([
    ["a body that says that it is too large", `POST /echo HTTP/1.1\r\nhost: a\r\n${length}`, body, 413],
    ["a body that is found to be too large", "POST /echo HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked", chunk, 413],
    ["no such path", `POST /nowhere HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${length}`, body, 404],
    ["no such method", `POST /w HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${length}`, body, 405],
    ["an older client", `POST /w HTTP/1.0\r\nhost: a\r\n${length}`, body, 405],
    ["headers that are too large", `POST /echo HTTP/1.1\r\nhost: a\r\n${length}\r\nx: ${"x".repeat(40_000)}`, body, 431],
    ["two lengths", `POST /echo HTTP/1.1\r\nhost: a\r\n${length}\r\ncontent-length: 1`, body, 400],
  ])("%s", async (_, head, bytes, status) => {
    for (let i = 0; i < 3; i++)
      expect(await sentFirst(base, Buffer.concat([Buffer.from(`${head}\r\n\r\n`), bytes]))).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  test("nothing behind the refused request is served", async () => {
    const runs: number[] = [];
    const counting = configOf(served("GET", "/w", () => runs.push(1)));
    const other = await serving(counting, { maxBodyBytes: 10 });
    const socket = await connected(other);
    socket.write("POST /nowhere HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 20\r\n\r\n");
    await once(socket, "data");
    socket.write(`${"x".repeat(20)}GET /w HTTP/1.1\r\nhost: a\r\n\r\n`);
    await once(socket, "close");
    expect(await other.trigger.drain(0, 10_000)).toBe(true);
    expect(runs).toEqual([]);
  });

  test("a client that sends for ever is cut", async () => {
    const socket = await connected(base);
    const closed = new Promise((resolve) => socket.on("close", resolve));
    socket.on("error", () => undefined);
    socket.write("POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 99999999999\r\n\r\n");
    const more = (): void => void socket.write(body, (error) => error || more());
    more();
    await closed;
  });
});

describe("a client that asks before it sends its body", () => {
  const asking = (path: string, length: number): string =>
    `POST ${path} HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: ${length}\r\n\r\n`;

  test.each([
    ["/echo", mebibyte + 1, 413],
    ["/nowhere", 2, 404],
    ["/w", 2, 405],
  ])("%s with %i bytes is refused at once", async (path, length, status) => {
    const answer = await sendRaw(base.url, asking(path, length));
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} (?:.*\r\n)*connection: close\r\n`, "i"));
  });

  test("is told to go on where the body is wanted, and the connection is kept", async () => {
    const socket = await connected(base);
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString();
    });
    for (const n of [1, 2]) {
      text = "";
      socket.write(asking("/echo", 1));
      await once(socket, "data");
      expect(text).toBe("HTTP/1.1 100 Continue\r\n\r\n");
      socket.write(String(n));
      await once(socket, "data");
      expect(text).toMatch(/100 Continue\r\n\r\nHTTP\/1.1 200 OK\r\n(?:.*\r\n)*connection: keep-alive\r\n/i);
    }
    socket.destroy();
  });
});

describe("the end of a service", () => {
  test.each([
    ["without a word", ""],
    ["with a part of a head", "GET /w HT"],
    ["with a refused body", "POST /w HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nabc"],
    ["with a body that is too large", "POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 9999999\r\n\r\nabc"],
  ])("waits for no connection %s", async (_, bytes) => {
    const other = await serving(config, { maxBodyBytes: mebibyte });
    const socket = await connected(other);
    if (bytes !== "") socket.write(bytes);
    // Another client is answered behind the bytes of this one.
    await sendRaw(other.url, "GET /w HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    const began = performance.now();
    expect(await other.trigger.drain(0, 60_000)).toBe(true);
    expect(performance.now() - began).toBeLessThan(30_000);
    socket.destroy();
  });

  test("waits for an answer that its client has not read to the end", async () => {
    const other = await serving(configOf(served("GET", "/long", () => "x".repeat(16 * mebibyte))));
    const socket = await connected(other);
    socket.write("GET /long HTTP/1.1\r\nhost: a\r\n\r\n");
    let read = 0;
    socket.on("data", ({ length }) => {
      read += length;
    });
    await once(socket, "data");
    socket.pause();
    const drained = other.trigger.drain(0, 60_000);
    await nobodyListens(other);
    socket.resume();
    await once(socket, "close");
    expect(read).toBeGreaterThan(16 * mebibyte);
    expect(await drained).toBe(true);
  });

  test("waits for a request whose body is still to come", async () => {
    const other = await serving(config);
    const socket = await connected(other);
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString();
    });
    socket.write("POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\n\r\n12");
    await sendRaw(other.url, "GET /w HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    const drained = other.trigger.drain(0, 60_000);
    await nobodyListens(other);
    socket.write("34");
    await once(socket, "close");
    expect(text).toMatch(/^HTTP\/1.1 200 [\s\S]*1234/);
    expect(await drained).toBe(true);
  });
});
