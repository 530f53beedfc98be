import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { createHost } from "#runtime/process/host.ts";
import { Channels, type Listener } from "#runtime/realtime/channels.ts";
import type { Target } from "#runtime/run/interface.ts";
import type { WebSocket } from "#runtime/triggers/websocket.ts";
import { Bundles } from "#runtime/triggers/ws/bundles.ts";
import { Connection, usualWaits } from "#runtime/triggers/ws/connection.ts";
import { Operations } from "#runtime/triggers/ws/operations.ts";
import type { Rights } from "#runtime/triggers/ws/rights.ts";
import type { Visitor } from "#runtime/triggers/ws/visitor.ts";
import type { JsonObject } from "#runtime/value/json.ts";
import { textIn } from "../../../harness/sockets.ts";
import { untilTrue } from "../../../harness/until.ts";

// Small frames that ask for much (spec/surfaces 3 and 20).

/** Operations at a time that stands still; `channels` hold what was published and who has entered. */
function operations(channels: Channels) {
  const state = { now: 0, frames: 0 };
  const listener: Listener = {
    push: () => {
      state.frames += 1;
    },
  };
  const rights = { has: async () => true } as unknown as Rights;
  const made = new Operations({ channels, listener, rights, now: () => state.now, isClosed: () => false });
  const subscribe = async (...names: string[]): Promise<readonly string[]> => {
    const { errors, after } = await made.do({ op: "subscribe", channels: names, history: 100 });
    after?.();
    await made.do({ op: "unsubscribe", channels: names });
    return errors.map(({ code }) => code);
  };
  return { made, state, subscribe };
}

function retaining(messages: number, size: number): Channels {
  const channels = new Channels();
  for (let i = 0; i < messages; i++) channels.publish(`pub:${i}`, "x".repeat(size), true);
  return channels;
}

test("what a subscription has missed is paid for by its bytes", async () => {
  const { state, subscribe } = operations(retaining(10, 200_000));
  const codes: (readonly string[])[] = [];
  for (let i = 0; i < 10; i++) codes.push(await subscribe("#"));
  // 8 MiB at once, and the one that goes beyond.
  expect(codes).toEqual([[], [], [], [], [], ...Array(5).fill(["rate_limited"])]);
  expect(state.frames).toBe(50);
  state.now += 1_000;
  expect(await subscribe("#")).toEqual([]);
});

test("so is that of many patterns in one frame, also where it is small or nothing", async () => {
  const { state, subscribe } = operations(retaining(1_000, 1));
  const names = Array.from({ length: 1_000 }, (_, i) => [`pub:+:${i}`, "#", "+:#", "pub:#"][i % 4] as string);
  expect(await subscribe(...names)).toContain("rate_limited");
  expect(state.frames).toBeLessThan(100_000);
});

test("what is owed comes back within a second or two", async () => {
  const { made, state, subscribe } = operations(retaining(300, 200_000));
  expect(await subscribe("#")).toEqual([]);
  state.now += 1_100;
  expect(await made.do({ op: "publish", channels: ["a"], data: 1, retain: false })).toMatchObject({ errors: [] });
});

test("a list of members is paid for by its bytes", async () => {
  const channels = new Channels();
  for (let i = 0; i < 250; i++) channels.enter({ push: () => undefined }, "c", { id: `u${i}`, state: "x".repeat(4_000) });
  const { made } = operations(channels);
  let answers = 0;
  for (let i = 0; i < 100; i++) {
    const operation = { op: "presence_get", channel: "c" } as const;
    const { reply, errors } = await made.do(operation);
    if (reply === undefined) expect(errors).toEqual([{ channel: "c", code: "rate_limited" }]);
    else answers += 1;
    made.answered(operation, JSON.stringify(reply ?? "").length);
  }
  expect(answers).toBe(9);
});

/** A connection whose frames arrive all at once, and a clock that goes on by 5 ms when it is read. */
function connection(channels: Channels, isStuck = false) {
  const state = { now: 0, written: [] as string[], taken: [] as (() => void)[], isStuck };
  const host = { ...createHost({ env: {} }), monotonic: () => (state.now += 5) };
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      state.written.push(textIn(chunk));
      if (state.isStuck) state.taken.push(done);
      else done();
    },
  });
  const nothing = (): void => undefined;
  const pause = (): void => void Object.assign(socket, { isPaused: true, pauses: socket.pauses + 1 });
  const socket = Object.assign(new EventEmitter(), { readyState: 1, OPEN: 1, isPaused: false, pauses: 0, pause, resume: nothing });
  const target = { interface: { name: "live", output: "none", run: nothing }, config: { name: "flood" } } as unknown as Target;
  const visitor = { hasKey: true, token: undefined } as Visitor;
  const events = { served: () => target, dropped: nothing, ended: nothing };
  const options = { host, stream: stream as Socket, bundles: new Bundles(), visitor, channels, publicChannels: [], waits: usualWaits };
  new Connection({ ...options, socket: socket as unknown as WebSocket, ...events });
  const send = (frame: JsonObject): boolean => socket.emit("message", Buffer.from(JSON.stringify(frame)), false);
  return { state, socket, send, waiting: () => Math.floor(stream.writableLength / 250_000) };
}

test("others have turns between operations that arrive at once", async () => {
  const { state, send } = connection(new Channels());
  let turns = 0;
  const turn = (): void => {
    turns += 1;
    if (state.written.length < 500) setImmediate(turn);
  };
  setImmediate(turn);
  for (let i = 0; i < 500; i++) send({ ap_ping: i });
  await untilTrue(() => state.written.length === 500);
  expect(state.written.map((text) => JSON.parse(text).ap_pong)).toEqual(Array.from({ length: 500 }, (_, i) => i));
  expect(turns).toBeGreaterThanOrEqual(60);
});

test("one operation takes no turn", async () => {
  const { state, send } = connection(new Channels());
  send({ ap_ping: 1 });
  for (let i = 0; i < 50; i++) await Promise.resolve();
  expect(state.written).toEqual(['{"ap_pong":1}']);
});

test("operations wait while their answers are not read", async () => {
  const { state, send, waiting } = connection(new Channels(), true);
  // Each answer is as long as a frame may be.
  for (let i = 0; i < 20; i++) send({ ap_ping: `${i}${"x".repeat(250_000)}` });
  await untilTrue(() => state.taken.length > 0);
  for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
  // The stream hands one on at a time, and the others wait where they take room.
  expect(state.written.length + waiting()).toBeLessThanOrEqual(6);
  state.isStuck = false;
  for (const done of state.taken.splice(0)) done();
  await untilTrue(() => state.written.length === 20);
});

test("a client is not read while large frames wait for an operation", async () => {
  const { socket, send } = connection(new Channels(), true);
  for (let i = 0; i < 2; i++) send({ ap_ping: "x".repeat(200_000) });
  expect(socket.pauses).toBe(1);
});
