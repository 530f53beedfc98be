import type { Socket } from "node:net";
import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { textFrame } from "#runtime/realtime/text-frame.ts";
import type { WebSocket } from "#runtime/triggers/websocket.ts";
import { Bundles } from "#runtime/triggers/ws/bundles.ts";
import { Outbox } from "#runtime/triggers/ws/outbox.ts";
import { textIn } from "../../../harness/sockets.ts";

// Frames that a connection sends, and how many of them may wait (spec/surfaces 3).

/** An outbox, and the texts of each write to the system, which takes nothing while `stuck`. */
function outbox() {
  const writes: string[][] = [];
  const state = { stuck: false, now: 0, dropped: 0, full: [] as boolean[] };
  const taken: (() => void)[] = [];
  const write = (chunks: readonly Buffer[], done: () => void): void => {
    writes.push(chunks.map(textIn));
    if (state.stuck) taken.push(done);
    else done();
  };
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => write([chunk], done),
    writev: (chunks, done) =>
      write(
        chunks.map(({ chunk }) => chunk),
        done,
      ),
  });
  const connection = { readyState: 1, OPEN: 1 };
  const box = new Outbox(connection as WebSocket, stream as Socket, new Bundles(), () => state.now, {
    dropped: () => (state.dropped += 1),
    full: (isFull) => state.full.push(isFull),
  });
  return { box, writes, state, taken, connection, push: (text: string) => box.push(textFrame(text)) };
}

const endOfTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("what is pushed in one turn goes out in one write, answers in between as well", async () => {
  const { box, push, writes } = outbox();
  push("a");
  box.reply("b");
  push("c");
  expect(writes).toEqual([]);
  await endOfTurn();
  expect(writes).toEqual([["a", "b", "c"]]);
  push("d");
  await endOfTurn();
  expect(writes).toEqual([["a", "b", "c"], ["d"]]);
});

test("an answer waits for no end of a turn", () => {
  const { box, writes } = outbox();
  box.reply("a");
  box.reply("b");
  expect(writes).toEqual([["a"], ["b"]]);
});

test("only so much is held back", async () => {
  const { push, writes, state } = outbox();
  for (let n = 0; n < 2_000; n++) push("x");
  expect(writes.length).toBe(31);
  const large = "x".repeat(70_000);
  push(large);
  expect(writes.slice(31)).toEqual([Array.from({ length: 16 }, () => "x"), [large]]);
  await endOfTurn();
  expect([writes.length, state.dropped]).toEqual([33, 0]);
});

test("beyond a thousand frames pushes are dropped, answers are not, and nothing more is read until there is room", async () => {
  const { box, push, state, taken } = outbox();
  state.stuck = true;
  push("first");
  await endOfTurn();
  for (let n = 0; n < 1_010; n++) push(String(n));
  expect(state.dropped).toBe(10);
  box.reply("answer");
  expect(state.full).toEqual([true]);
  state.stuck = false;
  taken[0]?.();
  await endOfTurn();
  expect(state.full).toEqual([true, false]);
  push("more");
  expect(state.dropped).toBe(10);
});

test("a client is stuck from when something begins to wait, not while a frame is held back", async () => {
  const { box, push, state } = outbox();
  state.now = 40_000;
  push("a");
  expect(box.stuckFor).toBe(0);
  await endOfTurn();
  state.stuck = true;
  state.now = 80_000;
  push("b");
  await endOfTurn();
  state.now = 90_000;
  expect(box.stuckFor).toBe(10_000);
});

test("nothing is sent behind a close frame", async () => {
  const { box, push, writes, connection } = outbox();
  connection.readyState = 2;
  push("a");
  box.reply("b");
  await endOfTurn();
  expect(writes).toEqual([]);
});
