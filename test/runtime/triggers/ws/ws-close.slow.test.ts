import assert from "node:assert";
import { connect as connectTo } from "node:net";
import { expect, test, vi } from "vitest";
import type { Meter } from "#runtime/metrics/meter.ts";
import type { Config } from "#runtime/run/interface.ts";
import { Connection, usualWaits } from "#runtime/triggers/ws/connection.ts";
import { WebSocketTrigger } from "#runtime/triggers/ws.ts";
import { until } from "../../../harness/until.ts";
import { connect, type Options, serving, statusOf, tokenOf, withKey } from "./ws-serving.ts";

// How a connection ends, and why (spec/surfaces 3).

const config = `
name: ends
interfaces:
  live: { ws: "on", public: true, actions: [{ name: A, input: a|body| }] }
  slow: { ws: "on", actions: [{ name: A, delay: 600ms }] }
`;

const waiting = (waits: Partial<typeof usualWaits>): Options => ({
  change: (each) => ({ ...each, protocols: [(host) => host.resource("sockets", () => new WebSocketTrigger(host, waits))] }),
});

test("1003: a binary frame", async () => {
  const client = await connect(await serving(config), "live");
  client.socket.send(Buffer.from("{}"), { binary: true });
  expect(await client.closed).toBe(1003);
});

test("1007: text that is not UTF-8", async () => {
  const client = await connect(await serving(config), "live");
  client.socket.send(Buffer.from([0x22, 0xff, 0x22]), { binary: false });
  expect(await client.closed).toBe(1007);
});

test("1009: a message over 256 KiB", async () => {
  const service = await serving(config);
  const client = await connect(service, "live");
  const longest = JSON.stringify("x".repeat(262_142));
  expect(await client.ask(longest)).toMatchObject({ data: { A: {} } });
  client.send(`${longest} `);
  expect(await client.closed).toBe(1009);
  const parts = await connect(service, "live");
  for (let i = 0; i < 3; i++) parts.socket.send("x".repeat(100_000), { fin: false });
  expect(await parts.closed).toBe(1009);
});

test("1008: twenty errors in ten seconds", async () => {
  const client = await connect(await serving(config), "live");
  for (let n = 0; n < 25; n++) client.send("no JSON");
  expect(await client.closed).toBe(1008);
  expect(client.frames).toEqual(Array.from({ length: 20 }, () => ({ ap_error: "invalid_frame", op: "frame" })));
});

test("1011: what no feature meant to throw", async () => {
  const judge = (): never => {
    throw new Error("a bug");
  };
  let calls = 0;
  const network = { judge: () => (calls++ === 0 ? undefined : judge()), ip: () => ({}), trusts: () => false, start: () => [] };
  const change = (each: Config): Config => ({ ...each, interfaces: each.interfaces.map((target) => ({ ...target, network })) });
  const service = await serving(config, { change });
  const client = await connect(service, "live");
  client.send({});
  expect(await client.closed).toBe(1011);
  expect(service.log).toContainEqual(
    expect.objectContaining({ level: "critical", msg: "unexpected error in a socket", interface: "live" }),
  );
});

test("1001: the process ends, and what runs is waited for", async () => {
  const service = await serving(config);
  const [idle, busy] = [await connect(service, "live"), await connect(service, "slow", withKey)];
  busy.send({}, {});
  await busy.ask({ ap_ping: 1 });
  const began = performance.now();
  expect(await service.served.close()).toBe(true);
  expect(performance.now() - began).toBeGreaterThan(200);
  expect([await idle.closed, await busy.closed]).toEqual([1001, 1001]);
});

test("a client that does not answer the close is cut off", async () => {
  const service = await serving(config);
  const { hostname, port } = new URL(service.url);
  const socket = connectTo(Number(port), hostname);
  const opened = new Promise((resolve) => socket.once("data", resolve));
  socket.write(
    [
      "GET /ws/acme/staging/live HTTP/1.1",
      "host: a",
      "connection: upgrade",
      "upgrade: websocket",
      "sec-websocket-version: 13",
      "sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==",
      "",
      "",
    ].join("\r\n"),
  );
  expect(String(await opened)).toContain("101 Switching Protocols");
  socket.on("error", () => undefined);
  expect(await service.served.close()).toBe(true);
});

test("while sockets are open others change, and those of an interface that is gone are closed by 1001", async () => {
  const service = await serving(config);
  const [live, slow] = [await connect(service, "live"), await connect(service, "slow", withKey)];
  await live.ask({ ap_subscribe: "c" });
  const [first = assert.fail()] = service.configs;
  const next: Config = { ...first, interfaces: first.interfaces.filter(({ name }) => name === "live") };
  expect(await service.served.replace([next], undefined)).toEqual([]);
  expect(await slow.closed).toBe(1001);
  expect(await statusOf(service, "slow", withKey)).toBe(404);
  expect(await live.ask({ n: 1 })).toMatchObject({ data: { A: { data: { n: 1 } } } });
  live.send({ ap_ping: 1 });
  const other = await connect(service, "live", withKey);
  await other.ask({ ap_publish: { channels: "c", data: 1 } });
  expect((await live.next(2)).at(-1)).toEqual({ ap_channel: "c", data: 1 });
  const closed: Config = { ...next, interfaces: next.interfaces.map(({ public: _, ...target }) => target) };
  await service.served.replace([closed], undefined);
  expect(await live.closed).toBe(1008);
  await service.served.replace([{ ...closed, interfaces: [], protocols: [] }], undefined);
  expect(await other.closed).toBe(1001);
});

test("4401: the token has ended", async () => {
  const service = await serving(config, waiting({ ping: 50 }));
  const client = await connect(service, `live?token=${tokenOf({}, 4)}`);
  expect(await client.closed).toBe(4401);
});

test("1013: a client that does not read; until then pushes to it are dropped, and nothing is read from it", async () => {
  let [dropped, open] = [0, 0];
  const meter = {
    dropped: () => (dropped += 1),
    watchBus: () => undefined,
    connected: (change: number) => (open += change),
    begins: () => () => undefined,
  } as unknown as Meter;
  const close = vi.spyOn(Connection.prototype, "close");
  const { change = (each) => each } = waiting({ drain: 2_000 });
  const service = await serving(config, { change: (each) => ({ ...change(each), metrics: () => meter }) });
  const [client, other] = [await connect(service, "live", withKey), await connect(service, "live", withKey)];
  expect(open).toBe(2);
  await client.ask({ ap_subscribe: "c:+" });
  client.socket.pause();
  const data = "x".repeat(250_000);
  const channels = Array.from({ length: 8 }, (_, n) => `c:${n}`);
  for (let n = 0; n < 12; n++) await other.ask({ ap_publish: { channels, data } });
  const published = 12 * channels.length;
  expect(dropped).toBeGreaterThan(10);
  expect(dropped).toBeLessThan(published);
  await until(() => expect(close).toHaveBeenCalledWith(1013));
  close.mockRestore();
  client.socket.resume();
  expect(await client.closed).toBe(1013);
  expect(client.frames.length).toBe(published - dropped);
  await other.ask({ ap_ping: 1 });
  expect(open).toBe(1);
});

test("1013: a client that reads on late learns why, even after the time for an answer", async () => {
  let dropped = 0;
  const meter = {
    dropped: () => (dropped += 1),
    watchBus: () => undefined,
    connected: () => undefined,
    begins: () => () => undefined,
  } as unknown as Meter;
  const close = vi.spyOn(Connection.prototype, "close");
  const { change = (each) => each } = waiting({ drain: 300, close: 1 });
  const service = await serving(config, { change: (each) => ({ ...change(each), metrics: () => meter }) });
  const [client, other] = [await connect(service, "live", withKey), await connect(service, "live", withKey)];
  await client.ask({ ap_subscribe: "c" });
  client.socket.pause();
  const data = "x".repeat(250_000);
  for (let n = 0; n < 100; n++) await other.ask({ ap_publish: { channels: "c", data } });
  expect(dropped).toBeGreaterThan(10);
  await until(() => expect(close).toHaveBeenCalledWith(1013));
  client.socket.resume();
  expect(await client.closed).toBe(1013);
  expect(client.frames.length).toBeGreaterThan(0);
  close.mockRestore();
});

test("a client that asks and does not read is not read from", async () => {
  const service = await serving(config);
  const client = await connect(service, "live");
  client.socket.pause();
  const frame = JSON.stringify({ ap_ping: "x".repeat(200_000) });
  for (let n = 0; n < 200; n++) client.socket.send(frame);
  await new Promise((resolve) => setTimeout(resolve, 300));
  // 40 MB were asked for: what neither the system nor the 1 MiB of the server holds, the client still has.
  expect(client.socket.bufferedAmount).toBeGreaterThan(5_000_000);
  client.socket.resume();
  expect((await client.next(200)).length).toBe(200);
});

test("a client that never reads again is forgotten", async () => {
  let open = 0;
  const meter = {
    dropped: () => undefined,
    watchBus: () => undefined,
    connected: (change: number) => (open += change),
  } as unknown as Meter;
  const { change = (each) => each } = waiting({ drain: 200, late: 200 });
  const service = await serving(config, { change: (each) => ({ ...change(each), metrics: () => meter }) });
  const client = await connect(service, "live");
  client.socket.pause();
  const frame = JSON.stringify({ ap_ping: "x".repeat(200_000) });
  for (let n = 0; n < 200; n++) client.socket.send(frame);
  expect(open).toBe(1);
  await expect.poll(() => open).toBe(0);
});

test("who gives no sign of life is cut off, who does is not", async () => {
  const service = await serving(config, waiting({ ping: 50, pong: 1_000 }));
  const dead = await connect(service, "live", { autoPong: false });
  const alive = await connect(service, "live");
  expect(await dead.closed).toBe(1006);
  expect(await alive.ask({ ap_ping: 1 })).toEqual({ ap_pong: 1 });
  expect(usualWaits).toEqual({ ping: 30_000, pong: 60_000, drain: 30_000, late: 30_000, close: 2_000, authorizer: 5_000 });
});

test("no more connections than the operator wants", async () => {
  const service = await serving(config, { env: { PIPEWRIGHT_WS_MAX_CONNECTIONS: "2" } });
  const [first] = [await connect(service, "live"), await connect(service, "slow", withKey)];
  expect(await statusOf(service, "live")).toBe(503);
  first.socket.close();
  await first.closed;
  expect(await statusOf(service, "live")).toBe(101);
  const none = await serving(config, { env: { PIPEWRIGHT_WS_MAX_CONNECTIONS: "0" } });
  expect(await statusOf(none, "live")).toBe(404);
});

test("what the operator sets is checked before anything is served", async () => {
  const wrong = {
    PIPEWRIGHT_WS_MAX_CONNECTIONS: "many",
    PIPEWRIGHT_WS_HISTORY_MAX: "-1",
    PIPEWRIGHT_WS_PUBLIC_CHANNELS: "news:#,a#b",
    PIPEWRIGHT_WS_ORIGINS: "example.com",
    PIPEWRIGHT_WS_REQUIRE_JWT: "-----BEGIN PUBLIC KEY-----",
  };
  const refused = await serving(config, { env: wrong }).catch((error: Error) => error.message);
  for (const name of Object.keys(wrong)) expect(refused).toContain(name);
  await expect(serving(config, { env: { PIPEWRIGHT_CLUSTERED: "true" } })).rejects.toThrow("PIPEWRIGHT_CLUSTERED");
});
