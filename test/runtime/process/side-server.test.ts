import { connect, type Socket } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { SideServer } from "#runtime/process/side-server.ts";
import { untilTrue } from "../../harness/until.ts";

// The servers of metrics and of the admin API have few places: no client keeps one without reading.

const ends: (() => unknown)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const end of ends.splice(0)) await end();
});

async function asking(server: SideServer, head: string): Promise<Socket> {
  const { hostname, port } = new URL(await server.listen("127.0.0.1", 0));
  const client = connect(Number(port), hostname);
  client.on("error", () => undefined).write(`${head}\r\nhost: a\r\n\r\n`);
  ends.push(
    () => client.destroy(),
    () => server.close(),
  );
  return client;
}

test("a client that reads nothing of its answer is hung up on", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  let begun = false;
  let closed = false;
  const server = new SideServer((_, response) => {
    response.once("close", () => {
      closed = true;
    });
    response.end("x".repeat(20_000_000));
    begun = true;
  });
  const client = await asking(server, "GET / HTTP/1.1");
  client.pause();
  await untilTrue(() => begun);
  vi.advanceTimersByTime(30_000);
  expect(closed).toBe(false);
  vi.advanceTimersByTime(10_000);
  await untilTrue(() => closed);
});

test("a request for another protocol is answered as any other", async () => {
  const server = new SideServer((_, response) => void response.end("here"));
  const client = await asking(server, "GET / HTTP/1.1\r\nconnection: upgrade\r\nupgrade: websocket");
  let got = "";
  client.on("data", (bytes: Buffer) => {
    got += bytes.toString();
  });
  await untilTrue(() => got.includes("here"));
});
