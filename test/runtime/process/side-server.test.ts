import { connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { SideServer } from "#runtime/process/side-server.ts";
import { untilTrue } from "../../harness/until.ts";

// The servers of metrics and of the admin API have few places: no client keeps one without reading.

const ends: (() => unknown)[] = [];
afterEach(async () => {
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
  const timeouts: number[] = [];
  const server = new SideServer(({ socket }, response) => {
    timeouts.push(socket.timeout ?? 0);
    response.end("here");
  });
  await asking(server, "GET / HTTP/1.1");
  await untilTrue(() => timeouts.length > 0);
  expect(timeouts).toEqual([30_000]);
});

test("requests that come all at once hold ten answers", async () => {
  let begun = 0;
  const server = new SideServer((_, response) => {
    begun += 1;
    response.end("here");
  });
  const client = await asking(server, `GET / HTTP/1.1\r\nhost: a\r\n\r\n`.repeat(500) + "GET / HTTP/1.1");
  client.resume();
  await untilTrue(() => client.closed);
  expect(begun).toBe(10);
});
