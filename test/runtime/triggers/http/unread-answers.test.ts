import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { UnreadAnswers } from "#runtime/triggers/http/unread.ts";
import { untilTrue } from "../../../harness/until.ts";

// Answers that their clients do not read are not kept for ever (spec/surfaces 1 and 20).

/** A socket of which a test says how much is in its stream, and how much the system has been given and has not taken. */
function socketWith(writableLength: number, writeQueueSize = 0) {
  const state = { writableLength, _handle: { bytesWritten: writeQueueSize, writeQueueSize }, destroyed: false };
  return {
    ...state,
    destroy(): void {
      this.destroyed = true;
    },
  };
}

const watched = (...sockets: readonly ReturnType<typeof socketWith>[]): UnreadAnswers =>
  new UnreadAnswers(sockets as unknown as readonly Socket[]);

test("a client that reads nothing for 30 seconds is hung up on", () => {
  const [stuck, idle] = [socketWith(5_000_000, 4_000_000), socketWith(0)];
  const answers = watched(stuck, idle);
  for (let now = 0; now < 30_000; now += 5_000) answers.look(now);
  expect([stuck.destroyed, idle.destroyed]).toEqual([false, false]);
  answers.look(30_000);
  expect([stuck.destroyed, idle.destroyed]).toEqual([true, false]);
});

test("a slow one stays, whatever one write holds", () => {
  const [inWrite, inStream] = [socketWith(5_000_000, 5_000_000), socketWith(5_000_000, 100)];
  const answers = watched(inWrite, inStream);
  for (let now = 0; now < 600_000; now += 5_000) {
    answers.look(now);
    if (now % 25_000 !== 0) continue;
    inWrite._handle.writeQueueSize -= 1;
    inStream._handle.bytesWritten += 1;
  }
  expect([inWrite.destroyed, inStream.destroyed]).toEqual([false, false]);
});

test("one that reads nothing is hung up on, also while more is written", () => {
  const socket = socketWith(10, 10);
  const answers = watched(socket);
  for (let now = 0; now <= 30_000; now += 5_000) {
    answers.look(now);
    socket.writableLength += 1_000;
    socket._handle.bytesWritten += 1_000;
    socket._handle.writeQueueSize += 1_000;
  }
  expect(socket.destroyed).toBe(true);
});

test("a connection that has nothing to send begins anew", () => {
  const socket = socketWith(10);
  const answers = watched(socket);
  answers.look(0);
  socket.writableLength = 0;
  answers.look(25_000);
  socket.writableLength = 10;
  answers.look(30_000);
  answers.look(55_000);
  expect(socket.destroyed).toBe(false);
  answers.look(60_000);
  expect(socket.destroyed).toBe(true);
});

test("whoever has left is not looked at", () => {
  const left = socketWith(10);
  const answers = watched(left);
  answers.leave(left);
  for (const now of [0, 60_000]) answers.look(now);
  expect(left.destroyed).toBe(false);
});

const open: Server[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.closeAllConnections();
});

test("the system says how much of a long answer has gone", async () => {
  const sockets: Socket[] = [];
  const answers = new UnreadAnswers(sockets);
  const server = createServer((_, response) => void response.end("x".repeat(20_000_000)));
  open.push(server);
  let served: Socket | undefined;
  server.on("connection", (socket) => {
    served = socket;
    sockets.push(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.on("error", () => undefined);
  client.pause();
  client.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
  await untilTrue(() => (served?.writableLength ?? 0) > 0);
  // The client reads a little between two looks, of one write that is not done.
  answers.look(0);
  const read = (): Promise<void> =>
    new Promise((resolve) => {
      client.once("data", () => resolve(void client.pause()));
      client.resume();
    });
  let now = 0;
  const queued = (): number => (served as unknown as { _handle: { writeQueueSize: number } })._handle.writeQueueSize;
  for (let looks = 0; looks < 3; looks++) {
    const before = queued();
    while (queued() === before) await read();
    now += 29_000;
    answers.look(now);
  }
  expect([served?.destroyed, served?.writableLength]).toEqual([false, expect.any(Number)]);
  answers.look(now + 1);
  answers.look(now + 60_001);
  expect(served?.destroyed).toBe(true);
  client.destroy();
  server.close();
});
