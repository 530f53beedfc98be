import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { createHost, type Host } from "#runtime/process/host.ts";
import { channelsOf } from "#runtime/realtime/channels.ts";
import { reply } from "#runtime/run/end/reply.ts";
import { LiveRun } from "#runtime/run/live-run.ts";
import type { Run } from "#runtime/run/run.ts";
import type { JsonObject } from "#runtime/value/json.ts";
import { compiled } from "../../harness/captured.ts";
import { emptyRequest } from "../../harness/run-once.ts";
import { type Stub, send, stub } from "../../harness/sockets.ts";
import { brokerOf, endAll } from "../triggers/mqtt/mqtt-serving.ts";
import { connect, serving, withKey } from "../triggers/ws/ws-serving.ts";

// The messages that listeners hear of the stream that an action reads.

const type = { "content-type": "text/event-stream" };
const data = (...deltas: readonly unknown[]): string => deltas.map((delta) => `data: ${JSON.stringify(delta)}\n\n`).join("");
const texts = (...deltas: readonly string[]): string => data(...deltas.map((text) => ({ text })));

const config = (stream: string, action = "", http = ""): string => `
name: chat
interfaces:
  ask:
    method: POST
    stream: { from: Ask, ${stream} }
    actions:
      - { name: Ask, http: { url: "a|env::UPSTREAM|", stream: true${http} }${action} }
`;

/** A wait of the host that a test ends. */
interface Wait {
  readonly ms: number;
  readonly elapse: () => void;
}

interface Scene {
  readonly host: Host;
  readonly run: Run;
  /** The responses that the upstream has begun. */
  readonly upstream: readonly ServerResponse[];
  readonly heard: JsonObject[];
  readonly waits: readonly Wait[];
  readonly log: readonly string[];
}

const ending: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
  await endAll();
});

/** Resolves when this holds; the event loop turns meanwhile. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

/** Begins a run of the interface `ask` whose upstream the test plays. */
async function scene(text: string, interpret = false, env: Readonly<Record<string, string>> = {}, body: JsonObject = {}): Promise<Scene> {
  const upstream: ServerResponse[] = [];
  const { url, close }: Stub = await stub((response) => void upstream.push(response));
  const log: string[] = [];
  const real = createHost({ env: { UPSTREAM: url, ...env }, log: (level, msg) => void log.push(`${level} ${msg}`) });
  const open = new Set<Wait>();
  const host: Host = {
    ...real,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const wait: Wait = { ms, elapse: () => end(resolve) };
        const end = (settle: () => void): void => {
          open.delete(wait);
          settle();
        };
        open.add(wait);
        signal.addEventListener("abort", () => end(() => reject(new Error("not needed any more"))));
      }),
  };
  ending.push(async () => {
    await host.close();
    await close();
  });
  const heard: JsonObject[] = [];
  const listener = { push: (frame: Buffer) => void heard.push(JSON.parse(String(frame))) };
  channelsOf(host).subscribe(listener, "#");
  const { interfaces, ...rest } = await compiled(text, { interpret });
  const target = interfaces.find(({ name }) => name === "ask");
  if (target === undefined) throw new Error("no interface");
  const run = new LiveRun(host, { ...rest, interfaces }, target, { ...emptyRequest, id: "run-1", body });
  run.start();
  return {
    host,
    run,
    upstream,
    heard,
    log,
    get waits() {
      return [...open];
    },
  };
}

/** The messages of the stream, without the members that are the same in all of them. */
const said = ({ heard }: Scene): unknown[] =>
  heard.map((frame) => {
    const { $stream } = frame.data as { $stream: JsonObject };
    const { id, from, ...rest } = $stream;
    expect([id, from]).toEqual(["run-1", "Ask"]);
    return rest;
  });

async function elapse(at: Scene, ms: number): Promise<void> {
  await until(() => at.waits.length === 1);
  const [wait] = at.waits;
  expect(wait?.ms).toBe(ms);
  wait?.elapse();
  await until(() => at.waits.length === 0);
}

describe.each([false, true])("interpreted: %s", (interpret) => {
  test("pieces are gathered until the time is over, and the end has what was counted", async () => {
    const at = await scene(config("channel: chat"), interpret);
    await until(() => at.upstream.length === 1);
    const [upstream] = at.upstream;
    upstream?.writeHead(200, type).write(texts("Hel", "lo "));
    await elapse(at, 50);
    expect(said(at)).toEqual([{ seq: 0, delta: "Hello " }]);
    upstream?.write(texts("wor"));
    await elapse(at, 50);
    upstream?.end(`${data({ text: "ld", usage: { total_tokens: 3 } })}data: [DONE]\n\n${texts("more")}`);
    await at.run.finish();
    expect(said(at)).toEqual([
      { seq: 0, delta: "Hello " },
      { seq: 1, delta: "wor" },
      { seq: 2, delta: "ld" },
      { seq: 3, delta: "", done: true, usage: { total_tokens: 3 } },
    ]);
    expect(at.heard.every(({ ap_channel }) => ap_channel === "chat")).toBe(true);
    expect(at.waits).toEqual([]);
    expect(JSON.parse(reply(at.run).body ?? "")).toMatchObject({ data: { Ask: { data: { body: { text: "Hello world" } } } } });
  });

  test("so many characters are sent at once; one of two halves is one, and never cut", async () => {
    const at = await scene(config("channel: chat, flush_chars: 3, flush_ms: 1000"), interpret);
    await until(() => at.upstream.length === 1);
    at.upstream[0]?.writeHead(200, type).end(texts("a", "😀", "b", "cd", "\ud83d", "\ude00", "e", "\ud83d"));
    await at.run.finish();
    expect(said(at)).toEqual([
      { seq: 0, delta: "a😀b" },
      { seq: 1, delta: "cd" },
      { seq: 2, delta: "😀e" },
      { seq: 3, delta: "\ud83d" },
      { seq: 4, delta: "", done: true },
    ]);
  });

  test("an event may come in any pieces, also bytes of one character apart", async () => {
    const at = await scene(config("channel: chat, flush_ms: 0"), interpret);
    await until(() => at.upstream.length === 1);
    const [upstream] = at.upstream;
    upstream?.writeHead(200, type);
    for (const byte of Buffer.from("\uFEFFdata: ä\r\n\r\n: no\r\rdata: b\r\rdata:c\n\n")) {
      upstream?.write(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    upstream?.end();
    await at.run.finish();
    expect(said(at)).toEqual([..."äbc"].map((delta, seq) => ({ seq, delta })).concat([{ seq: 3, delta: "", done: true } as never]));
  });

  test("another attempt begins the text anew, and says so only to those who have heard some", async () => {
    const at = await scene(config("channel: chat, flush_ms: 0", ", retry: { attempts: 4, delay: 7, jitter: none, on: [any] }"), interpret);
    await until(() => at.upstream.length === 1);
    at.upstream[0]?.writeHead(503, type).end(texts("no"));
    await elapse(at, 7);
    await until(() => at.upstream.length === 2);
    at.upstream[1]?.writeHead(200, type).write(texts("Hel"));
    await until(() => at.heard.length === 1);
    at.upstream[1]?.end(data({ error: { message: "busy" }, type: "error" }));
    await elapse(at, 7);
    await until(() => at.upstream.length === 3);
    at.upstream[2]?.writeHead(200, type).end(texts("Hel", "lo"));
    await at.run.finish();
    expect(said(at)).toEqual([
      { seq: 0, delta: "Hel" },
      { seq: 1, delta: "Hel", restart: true },
      { seq: 2, delta: "lo" },
      { seq: 3, delta: "", done: true },
    ]);
  });

  test("a failure sends what was there before, and its class", async () => {
    const at = await scene(config("channel: chat"), interpret);
    await until(() => at.upstream.length === 1);
    at.upstream[0]?.writeHead(200, type).end(`${texts("Hel")}event: error\ndata: secret reason\n\n${texts("lo")}`);
    await at.run.finish();
    expect(said(at)).toEqual([
      { seq: 0, delta: "Hel" },
      { seq: 1, delta: "", done: true, error: "transport" },
    ]);
  });

  test.each([
    ["a status", 500, type, texts("a"), "status"],
    ["a failed test", 200, type, texts("a"), "assert"],
  ])("%s is a failure", async (_, status, headers, body, error) => {
    const at = await scene(config("channel: chat", ", assert: { tests: [{ value: status, is_equal_to: 1 }] }"), interpret);
    await until(() => at.upstream.length === 1);
    at.upstream[0]?.writeHead(status, headers).end(body);
    await at.run.finish();
    expect(said(at).at(-1)).toMatchObject({ delta: "", done: true, error });
    expect(said(at)).toHaveLength(status === 200 ? 2 : 1);
  });

  test("a cancelled run says so, closes the connection and sends nothing more", async () => {
    const at = await scene(config("channel: chat, flush_ms: 0"), interpret);
    await until(() => at.upstream.length === 1);
    const [upstream] = at.upstream;
    const closed = new Promise((resolve) => upstream?.once("close", resolve));
    upstream?.writeHead(200, type).write(texts("Hel"));
    await until(() => at.heard.length === 1);
    at.run.cancel("the caller has gone");
    await at.run.finish();
    await closed;
    expect(said(at)).toEqual([
      { seq: 0, delta: "Hel" },
      { seq: 1, delta: "", done: true, error: "cancelled" },
    ]);
  });

  test("the time of the action is over", async () => {
    const at = await scene(config("channel: chat, flush_ms: 0", ", timeout: 50"), interpret);
    await until(() => at.upstream.length === 1);
    at.upstream[0]?.writeHead(200, type).write(texts("Hel"));
    await at.run.finish();
    expect(said(at).at(-1)).toMatchObject({ done: true, error: "timeout" });
  });

  test("an action that a gate keeps from running ends its stream, too", async () => {
    const text = config("channel: chat", ", run_when_succeeded: [Check]").replace(
      "actions:",
      "actions:\n      - { name: Check, input: a|body|, assert: { tests: [{ value: a, is_equal_to: 1 }] } }",
    );
    const at = await scene(text, interpret);
    await at.run.finish();
    expect(said(at)).toEqual([{ seq: 0, delta: "", done: true, error: "skipped" }]);
    expect(at.upstream).toEqual([]);
  });

  test("what is no stream has an end alone", async () => {
    const at = await scene(config("channel: chat"), interpret);
    await until(() => at.upstream.length === 1);
    at.upstream[0]?.writeHead(200, { "content-type": "application/json" }).end('{"text":"x"}');
    await at.run.finish();
    expect(said(at)).toEqual([{ seq: 0, delta: "", done: true }]);
  });

  test("lines of JSON, and a stream that is compressed", async () => {
    const lines = await scene(config("channel: chat"), interpret);
    await until(() => lines.upstream.length === 1);
    lines.upstream[0]?.writeHead(200, { "content-type": "application/x-ndjson" }).end('{"text":"a"}\r\n\n{"text":"b"}\n');
    await lines.run.finish();
    expect(said(lines)[0]).toEqual({ seq: 0, delta: "ab" });
    const gzip = await scene(config("channel: chat"), interpret);
    await until(() => gzip.upstream.length === 1);
    gzip.upstream[0]?.writeHead(200, { ...type, "content-encoding": "gzip" }).end(gzipSync(texts("a", "b")));
    await gzip.run.finish();
    expect(said(gzip)).toEqual([
      { seq: 0, delta: "ab" },
      { seq: 1, delta: "", done: true },
    ]);
  });

  test("several channels, each once; what is none is left out with a warning", async () => {
    const at = await scene(config("channel: a|body::to|"), interpret, {}, { to: ["a", 7, "a", "$SYS", ""] });
    await until(() => at.upstream.length === 1);
    at.upstream[0]?.writeHead(200, type).end(texts("x"));
    await at.run.finish();
    expect(at.heard.map(({ ap_channel }) => ap_channel)).toEqual(["a", "7", "a", "7"]);
    expect(at.log).toEqual(["warn stream: '$SYS' is no channel"]);
  });

  test.each(["a:b", "a/b", "#", ""])("a value with text around it is one level of a channel: %j is none", async (room) => {
    const at = await scene(config('channel: "chat:a|body::room|"'), interpret, {}, { room });
    await until(() => at.upstream.length === 1);
    at.upstream[0]?.writeHead(200, type).end(texts("x"));
    await at.run.finish();
    expect(at.heard).toEqual([]);
    expect(at.log).toEqual(["warn stream: unsafe level of a channel; nothing is forwarded"]);
  });

  test("a channel that cannot be evaluated fails nothing", async () => {
    const at = await scene(config('channel: chat, flush_ms: "a|body::ms|"'), interpret, {}, { ms: "soon" });
    await until(() => at.upstream.length === 1);
    at.upstream[0]?.writeHead(200, type).end(texts("x"));
    await at.run.finish();
    expect(at.heard).toEqual([]);
    expect(at.log).toHaveLength(1);
    expect(at.log[0]).toMatch(/^warn stream: field flush_ms: .*; nothing is forwarded$/);
    expect(at.run.acts[0]?.state).toBe("succeeded");
  });
});

test("a long piece is several messages, none of them too large for a channel", async () => {
  const at = await scene(config("channel: chat, flush_ms: 0"));
  await until(() => at.upstream.length === 1);
  const long = `x${"😀".repeat(60_000)}${"\u0001".repeat(50_000)}`;
  at.upstream[0]?.writeHead(200, type).end(texts(long));
  await at.run.finish();
  const pieces = said(at).map((one) => (one as JsonObject).delta);
  expect(pieces.join("")).toBe(long);
  expect(pieces.length).toBeGreaterThan(4);
  expect(pieces.every((one) => String(one).isWellFormed())).toBe(true);
  expect(at.log).toEqual([]);
});

test("whoever subscribes later reads the history", async () => {
  const at = await scene(config("channel: chat, flush_ms: 0"), false, { PIPEWRIGHT_WS_HISTORY_MAX: "10" });
  await until(() => at.upstream.length === 1);
  at.upstream[0]?.writeHead(200, type).end(texts("a", "b"));
  await at.run.finish();
  const late: JsonObject[] = [];
  const listener = { push: (frame: Buffer) => void late.push(JSON.parse(String(frame))) };
  channelsOf(at.host).subscribe(listener, "chat");
  channelsOf(at.host).replay(listener, "chat", 10);
  expect(late).toEqual(at.heard.map((frame) => ({ ...frame, ap_history: true })));
  expect(late).toHaveLength(3);
});

const chat = `
name: chat
interfaces:
  live: { ws: "on" }
  ask:
    method: POST
    respond: early
    stream: { from: Ask, channel: "chat:a|body::id|", flush_ms: 0 }
    actions: [{ name: Ask, http: { url: "a|env::UPSTREAM|", stream: true } }]
`;

test.each([false, true])("an answer in advance, and pieces for every socket; interpreted: %s", async (interpret) => {
  const { url, close } = await stub((response) => void response.writeHead(200, type).end(texts("Hel", "lo")));
  ending.push(close);
  const service = await serving(chat, { interpret, env: { UPSTREAM: url } });
  const clients = [await connect(service, "live", withKey), await connect(service, "live", withKey)];
  for (const client of clients) await client.ask({ ap_subscribe: "chat:+" });
  const answer = await send(service.url, "/ask", { method: "POST", body: '{"id":7}', headers: { "content-type": "application/json" } });
  expect(answer.status).toBe(202);
  const id = JSON.parse(answer.text).request_id;
  for (const client of clients)
    expect(await client.next(3)).toEqual([
      { ap_channel: "chat:7", data: { $stream: { id, from: "Ask", seq: 0, delta: "Hel" } } },
      { ap_channel: "chat:7", data: { $stream: { id, from: "Ask", seq: 1, delta: "lo" } } },
      { ap_channel: "chat:7", data: { $stream: { id, from: "Ask", seq: 2, delta: "", done: true } } },
    ]);
});

describe("MQTT", () => {
  const interfaces = `
  ask:
    method: POST
    mqtt: in
    stream: { from: Ask, channel: [chat/1, production/ask/in], flush_ms: 0 }
    actions: [{ name: Ask, http: { url: "a|env::UPSTREAM|", stream: true } }]`;
  const text = `name: chat\ninterfaces:${interfaces}\n  live: { ws: "on" }\n`;

  test.each([false, true])("a client hears the same at the topic, which runs nothing; interpreted: %s", async (interpret) => {
    const upstream = await stub((response) => void response.writeHead(200, type).end(texts("Hi")));
    ending.push(upstream.close);
    const broker = await brokerOf(text, { UPSTREAM: upstream.url }, interpret);
    const client = await broker.connect();
    await client.mqtt.subscribeAsync(["chat/#", "production/ask/in"]);
    expect((await send(broker.served.url, "/ask", { method: "POST" })).status).toBe(200);
    await client.has(4);
    const heard = client.got.filter((line) => line.startsWith("chat/1 ")).map((line) => JSON.parse(line.slice(7, -8)));
    expect(heard).toMatchObject([{ $stream: { seq: 0, delta: "Hi" } }, { $stream: { seq: 1, done: true } }]);
    expect(upstream.seen).toHaveLength(1);
  });

  test.each([
    ["that an authorizer guards", text.replace('{ ws: "on" }', '{ ws: "on", subscribe_authorizer: ask }'), {}],
    ["that are not public", text, { PIPEWRIGHT_WS_PUBLIC_CHANNELS: "news:#" }],
  ])("not of channels %s", async (_, guarded, env) => {
    const upstream = await stub((response) => void response.writeHead(200, type).end(texts("Hi")));
    ending.push(upstream.close);
    const broker = await brokerOf(guarded, { UPSTREAM: upstream.url, ...env });
    const client = await broker.connect();
    await client.mqtt.subscribeAsync("#");
    await send(broker.served.url, "/ask", { method: "POST" });
    await client.mqtt.publishAsync("last", "", { qos: 1 });
    await client.has(1);
    expect(client.got).toHaveLength(1);
  });
});
