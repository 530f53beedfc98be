import { connect as connectTo, type Socket } from "node:net";
import { expect, test } from "vitest";
import { until } from "../../../harness/until.ts";
import { type Client, connect, serving, withKey } from "./ws-serving.ts";

// Frames of hostile clients (spec/surfaces 3).

const config = `
name: hostile
interfaces:
  live: { ws: "on", actions: [{ name: A, input: a|body| }] }
  slow: { ws: "on", actions: [{ name: Wait, delay: 50ms }] }
  feed: { ws: "on", public: true, subscribe_authorizer: never, actions: [] }
  never: { actions: [{ name: Wait, delay: 20ms }, { name: A, input: a|body|, assert: { http_code_on_error: 403, tests: [{ value: channel, is_equal_to: x }] } }] }
`;

const env = { PIPEWRIGHT_WS_PUBLIC_CHANNELS: "#" };
const open = async (path = "live"): Promise<Client> => connect(await serving(config, { env }), path, path === "feed" ? {} : withKey);

const wrong: readonly [what: string, frame: unknown, answer: object][] = [
  ["no JSON", "{", { ap_error: "invalid_frame", op: "frame" }],
  ["nothing", "", { ap_error: "invalid_frame", op: "frame" }],
  ["deep JSON", `${"[".repeat(10_000)}${"]".repeat(10_000)}`, { ap_error: "invalid_frame", op: "frame" }],
  [
    "deep JSON as data",
    `{"ap_publish":{"channels":"a","data":${"[".repeat(200)}${"]".repeat(200)}}}`,
    { ap_error: "invalid_frame", op: "frame" },
  ],
  ["a number that is none", '{"n": 1e999}', { ap_error: "invalid_frame", op: "frame" }],
  ["two operations", { ap_ping: 1, ap_subscribe: "a" }, { ap_error: "invalid_frame", op: "frame" }],
  ["an operation and an unknown one", { ap_ping: 1, ap_x: "a", ap_id: 5 }, { ap_error: "invalid_frame", op: "frame", ap_id: 5 }],
  ["an unknown operation", { ap_shutdown: true }, { ap_error: "unknown_op", op: "shutdown" }],
  ["an answer", { ap_subscribed: ["a"] }, { ap_error: "unknown_op", op: "subscribed" }],
  ["a name of a prototype", '{"ap___proto__": 1}', { ap_error: "unknown_op", op: "__proto__" }],
  ["another one", '{"ap_constructor": 1}', { ap_error: "unknown_op", op: "constructor" }],
  ["a long operation", { [`ap_${"x".repeat(1_000)}`]: 1 }, { ap_error: "unknown_op", op: "x".repeat(61) }],
  ["a channel that is a number", { ap_subscribe: 1 }, { ap_error: "invalid_frame", op: "subscribe" }],
  ["a list with null in it", { ap_subscribe: ["a", null] }, { ap_error: "invalid_frame", op: "subscribe" }],
  ["an operation of null", { ap_unsubscribe: null }, { ap_error: "invalid_frame", op: "unsubscribe" }],
  ["a negative history", { ap_subscribe: "a", history: -1 }, { ap_error: "invalid_frame", op: "subscribe" }],
  ["half a history", { ap_subscribe: "a", history: 0.5 }, { ap_error: "invalid_frame", op: "subscribe" }],
  ["a history of text", { ap_subscribe: "a", history: "1" }, { ap_error: "invalid_frame", op: "subscribe" }],
  ["a message without data", { ap_publish: { channels: "a" } }, { ap_error: "invalid_frame", op: "publish" }],
  ["a message for nobody", { ap_publish: { channels: [], data: 1 } }, { ap_error: "invalid_frame", op: "publish" }],
  ["retain that is text", { ap_publish: { channels: "a", data: 1, retain: "yes" } }, { ap_error: "invalid_frame", op: "publish" }],
  [
    "presence that is forged",
    { ap_publish: { channels: "a", data: { $presence: {} } } },
    { ap_error: "invalid_frame", op: "publish", channel: "a" },
  ],
  ["a pattern as a channel", { ap_publish: { channels: "a:#", data: 1 } }, { ap_error: "invalid_channel", op: "publish", channel: "a:#" }],
  ["a channel of the system", { ap_subscribe: "$SYS/#" }, { ap_error: "invalid_channel", op: "subscribe", channel: "$SYS/#" }],
  ["a wildcard in a word", { ap_subscribe: "a+" }, { ap_error: "invalid_channel", op: "subscribe", channel: "a+" }],
  ["an end of the line", { ap_subscribe: "a\r\nb" }, { ap_error: "invalid_channel", op: "subscribe", channel: "a\r\nb" }],
  ["half a character", '{"ap_subscribe": "\\ud800"}', { ap_error: "invalid_channel", op: "subscribe", channel: "\ud800" }],
  ["an empty id", { ap_presence_enter: { channel: "a", id: "" } }, { ap_error: "invalid_frame", op: "presence_enter" }],
  ["an id that is no text", { ap_presence_enter: { channel: "a", id: {} } }, { ap_error: "invalid_frame", op: "presence_enter" }],
  [
    "a large state",
    { ap_presence_enter: { channel: "a", id: "i", state: "x".repeat(9_999) } },
    { ap_error: "payload_too_large", op: "presence_enter", channel: "a" },
  ],
  [
    "presence in a pattern",
    { ap_presence_enter: { channel: "+", id: "i" } },
    { ap_error: "invalid_channel", op: "presence_enter", channel: "+" },
  ],
  ["presence of nothing", { ap_presence_get: "a" }, { ap_error: "invalid_frame", op: "presence_get" }],
];

test("each is an error, and the connection stays", async () => {
  const service = await serving(config, { env });
  for (const [what, frame, answer] of wrong) {
    const client = await connect(service, "live", withKey);
    expect([what, await client.ask(frame)]).toEqual([what, answer]);
    expect(await client.ask({ ap_ping: what })).toEqual({ ap_pong: what });
    client.socket.terminate();
  }
});

test("keys of a prototype are keys like others", async () => {
  const client = await open();
  client.send('{"__proto__": {"polluted": 1}, "constructor": 2, "ap_id": {"__proto__": 3}}');
  const text = JSON.stringify(await client.one());
  expect(text).toContain('"data":{"__proto__":{"polluted":1},"constructor":2}');
  expect(text).toContain('"ap_id":{"__proto__":3}');
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  expect(await client.ask({ ap_subscribe: ["__proto__", "constructor"] })).toEqual({ ap_subscribed: ["__proto__", "constructor"] });
  client.send('{"ap_publish": {"channels": ["__proto__"], "data": {"__proto__": 1}, "retain": true}}');
  expect(JSON.stringify(await client.one())).toBe('{"ap_channel":"__proto__","data":{"__proto__":1}}');
});

test("a flood of subscriptions ends at the limit, and by sending its client away", async () => {
  const client = await open();
  const names = (from: number, count: number) => Array.from({ length: count }, (_, n) => `c:${from + n}`);
  expect(await client.ask({ ap_subscribe: names(0, 1_000) })).toEqual({ ap_subscribed: names(0, 1_000) });
  client.send({ ap_subscribe: names(999, 30) });
  expect(await client.one()).toEqual({ ap_subscribed: ["c:999"] });
  expect(await client.one()).toEqual({ ap_error: "limit_subscriptions", op: "subscribe", channel: "c:1000" });
  expect(await client.closed).toBe(1008);
});

test("a flood of messages is cut to a rate", async () => {
  const client = await open();
  // A thousand a second: a machine that stands still on the way lets a few more through.
  const names = Array.from({ length: 10_000 }, (_, n) => `c:${n}`);
  const reply = await client.ask({ ap_publish: { channels: names, data: 1 } });
  const published = (reply.ap_published as string[]).length;
  expect(published).toBeGreaterThanOrEqual(1_000);
  expect(published).toBeLessThan(names.length);
  expect(await client.one()).toMatchObject({ ap_error: "rate_limited", op: "publish" });
});

test("so is what is said of who is present, and whoever goes on is sent away", async () => {
  const client = await open();
  for (let n = 0; n < 4_000; n++) client.send({ ap_presence_enter: { channel: "c", id: "me", state: n } });
  expect(await client.closed).toBe(1008);
  const refused = client.frames.findIndex(({ ap_error }) => ap_error !== undefined);
  expect(refused).toBeGreaterThanOrEqual(1_000);
  expect(client.frames[refused]).toEqual({ ap_error: "rate_limited", op: "presence_enter", channel: "c" });
});

test("operations that have to be decided are done in order, and what is asked beyond is not read yet", async () => {
  const client = await open("feed");
  for (let n = 0; n < 15; n++) client.send({ ap_subscribe: ["x", `no:${n}`], ap_id: n });
  const frames = await client.next(30);
  expect(frames.map(({ ap_id, ap_error }) => [ap_id, ap_error])).toEqual(
    Array.from({ length: 15 }, (_, n) => [
      [n, undefined],
      [n, "forbidden"],
    ]).flat(),
  );
  for (let n = 0; n < 200; n++) client.send({ ap_presence_get: { channel: "x" } });
  expect((await client.next(200)).every(({ ap_presence }) => ap_presence !== undefined)).toBe(true);
});

test("frames whose runs wait have a bound of their sum, and every connection has a place for one", async () => {
  const service = await serving(config, { env });
  // Other connections hold nearly all of it.
  const others = 67_108_864 - 1_000;
  const held = service.served.host.resource("frames of sockets", () => ({ bytes: others, close: () => undefined }));
  const [one, other] = [await connect(service, "slow", withKey), await connect(service, "slow", withKey)];
  const frame = (n: number) => ({ text: "x".repeat(600), ap_id: n });
  const refused = (n: number) => ({ ap_error: "rate_limited", op: "run", ap_id: n });
  for (const client of [one, other]) for (let n = 1; n <= 2; n++) client.send(frame(n));
  for (const client of [one, other]) expect([await client.one(), await client.one()]).toMatchObject([refused(2), { ap_id: 1 }]);
  expect(held.bytes).toBe(others);
  // Frames that wait are forgotten with their connection.
  held.bytes = 0;
  for (let n = 1; n <= 9; n++) one.send(frame(n));
  await until(() => expect(held.bytes).toBeGreaterThan(5_000));
  one.socket.terminate();
  await until(() => expect(held.bytes).toBe(0));
});

/** A connection whose frames are written byte by byte. */
async function raw(): Promise<{ readonly socket: Socket; readonly rest: Promise<Buffer> }> {
  const { url } = await serving(config, { env });
  const { hostname, port } = new URL(url);
  const socket = connectTo(Number(port), hostname);
  const lines = ["GET /ws/acme/staging/feed HTTP/1.1", "host: a", "connection: upgrade", "upgrade: websocket", "sec-websocket-version: 13"];
  socket.write([...lines, "sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==", "", ""].join("\r\n"));
  await new Promise((resolve) => socket.once("data", resolve));
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.on("error", () => undefined);
  return { socket, rest: new Promise((resolve) => socket.on("close", () => resolve(Buffer.concat(chunks)))) };
}

const broken: readonly [what: string, bytes: readonly number[], code: number][] = [
  ["a frame without mask", [0x81, 0x02, 0x7b, 0x7d], 1002],
  ["reserved bits", [0xf1, 0x80, 0, 0, 0, 0], 1002],
  ["an unknown opcode", [0x83, 0x80, 0, 0, 0, 0], 1002],
  ["a length of 2^63", [0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], 1009],
  ["a length of 4 GiB", [0x81, 0xff, 0, 0, 0, 1, 0, 0, 0, 0], 1009],
  ["a long control frame", [0x89, 0xfe, 0x00, 0x7e, 0, 0, 0, 0], 1002],
  ["a continuation of nothing", [0x80, 0x80, 0, 0, 0, 0], 1002],
];
test.each(broken)("%s closes the connection", async (_, bytes, code) => {
  const { socket, rest } = await raw();
  socket.write(Buffer.from(bytes));
  const answer = await rest;
  expect([answer[0], answer.readUInt16BE(2)]).toEqual([0x88, code]);
});

// A connection held thousands of times the bytes that it had sent.
const begin = [0x01, 0x81, 0, 0, 0, 0, 0x61];
const goOn = [0x00, ...begin.slice(1)];
test("a message in more than 1,024 parts closes the connection", async () => {
  const { socket, rest } = await raw();
  socket.write(Buffer.from([...begin, ...Array.from({ length: 1_024 }, () => goOn).flat()]));
  const answer = await rest;
  expect([answer[0], answer.readUInt16BE(2)]).toEqual([0x88, 1008]);
});

test("a frame that comes byte by byte closes the connection before all of it is there", async () => {
  const { socket, rest } = await raw();
  socket.setNoDelay();
  socket.write(Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 3, 0xff, 0xff, 0, 0, 0, 0]));
  for (let n = 0; n < 50_000 && !socket.destroyed; n++) {
    socket.write("a");
    await new Promise(setImmediate);
  }
  socket.end();
  expect((await rest).readUInt16BE(2)).toBe(1008);
});

test("whoever sends pings and does not read gets no more answers than fit", async () => {
  const { socket } = await raw();
  let last = "";
  socket.on("data", (chunk) => {
    last = (last + chunk.toString("latin1")).slice(-5);
  });
  socket.pause();
  const ping = Buffer.from([0x89, 0xfd, 0, 0, 0, 0, ...Array.from({ length: 125 }, () => 0)]);
  const many = Buffer.concat(Array.from({ length: 2_000 }, () => ping));
  for (let n = 0; n < 200; n++) if (!socket.write(many)) await new Promise((resolve) => socket.once("drain", resolve));
  // A ping that is answered has the answers of all others before its own.
  socket.resume();
  await until(() => {
    socket.write(Buffer.from([0x89, 0x83, 0, 0, 0, 0, ...Buffer.from("end")]));
    expect(last).toBe("\x8a\x03end");
  });
  // 52 MB of pings, whose answers would be as long; the system itself holds some of both.
  expect(socket.bytesRead).toBeLessThan(25_000_000);
  socket.destroy();
});
