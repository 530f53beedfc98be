import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { reply } from "#runtime/run/end/reply.ts";
import type { JsonObject } from "#runtime/value/json.ts";
import { config, data, endScenes, type Scene, scene, texts, type, until } from "./stream-scene.ts";

// The messages that listeners hear of the stream that an action reads.

afterEach(endScenes);

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
    expect(JSON.parse((await reply(at.run)).body ?? "")).toMatchObject({ data: { Ask: { data: { body: { text: "Hello world" } } } } });
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

  test("the last line of JSON may lack its break; one that is cut is not read", async () => {
    const whole = await scene(config("channel: chat, flush_ms: 0"), interpret);
    await until(() => whole.upstream.length === 1);
    const lines = { "content-type": "application/x-ndjson" };
    whole.upstream[0]?.writeHead(200, lines).end('{"text":"a"}\n{"text":"b","usage":{"tokens":2}}');
    await whole.run.finish();
    expect(said(whole)).toEqual([
      { seq: 0, delta: "a" },
      { seq: 1, delta: "b" },
      { seq: 2, delta: "", done: true, usage: { tokens: 2 } },
    ]);
    const cut = await scene(config("channel: chat, flush_ms: 0"), interpret);
    await until(() => cut.upstream.length === 1);
    cut.upstream[0]?.writeHead(200, lines).write('{"text":"a"}\n{"text":"b"}');
    await until(() => cut.heard.length === 1);
    cut.upstream[0]?.destroy();
    await cut.run.finish();
    expect(said(cut)).toEqual([
      { seq: 0, delta: "a" },
      { seq: 1, delta: "", done: true, error: "transport" },
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
