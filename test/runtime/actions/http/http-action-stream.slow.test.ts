import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { reassemble as reassembled, reassembleLines as reassembledLines } from "#runtime/features/actions/http/event-stream.ts";
import { type HttpArgs, http } from "#runtime/features/actions/http.ts";
import type { Act } from "#runtime/run/run.ts";
import { atOnce } from "#runtime/threads/slices.ts";
import type { Json } from "#runtime/value/json.ts";
import { act, stub } from "../../../harness/sockets.ts";

const reassemble = (text: string): Json => atOnce(reassembled(text));

/** Each value as the data of an event; an object as JSON. */
const stream = (...data: readonly Json[]): string =>
  data.map((each) => `data: ${typeof each === "string" ? each : JSON.stringify(each)}\n\n`).join("");

describe("text of a stream", () => {
  test.each<[string, Json[], string]>([
    [
      "OpenAI chat",
      [
        { choices: [{ delta: { role: "assistant" } }] },
        { choices: [{ delta: { content: "He" } }] },
        { choices: [{ delta: { content: "y" } }] },
      ],
      "Hey",
    ],
    ["an end without choices", [{ choices: [{ delta: { content: "a" } }] }, { choices: [], usage: { total_tokens: 3 } }], "a"],
    [
      "OpenAI Responses",
      [
        { type: "response.created", response: {} },
        { type: "response.output_text.delta", delta: "Hi" },
        { type: "response.function_call_arguments.delta", delta: "{" },
      ],
      "Hi",
    ],
    [
      "Anthropic",
      [
        { type: "message_start", message: {} },
        { type: "ping" },
        { type: "content_block_delta", delta: { type: "text_delta", text: "Hi" } },
        { type: "content_block_delta", delta: { type: "input_json_delta", partial_json: "{" } },
        { type: "message_stop" },
      ],
      "Hi",
    ],
    ["Gemini", [{ candidates: [{ content: { parts: [{ text: "a" }, { functionCall: { name: "f" } }, { text: "b" }] } }] }], "ab"],
    ["text and delta of others", [{ text: "a" }, { delta: "b" }], "ab"],
    ["anything else as it is", ["x", { n: 1 }, "5"], 'x{"n":1}5'],
  ])("%s", (_, data, text) => {
    expect(reassemble(stream(...data))).toMatchObject({ text, events: data.length });
  });
});

describe("events", () => {
  test("line ends, comments, several data lines, a byte order mark", () => {
    const whole = "\uFEFF: hello\r\nevent: x\r\ndata: a\r\ndata:b\r\rid: 1\ndata\n\nretry: 5\n\ndata:  c\n\n";
    expect(reassemble(whole)).toEqual({ text: "a\nb c", events: 3, last: null });
  });

  test("one that has not ended is not there", () => {
    expect(reassemble("data: a\n\ndata: b\n")).toMatchObject({ text: "a", events: 1 });
    expect(reassemble("data: a\n\ndata: b")).toMatchObject({ text: "a", events: 1 });
  });

  test("[DONE] ends the stream and is none", () => {
    expect(reassemble(stream({ text: "a" }, "[DONE]", "b"))).toEqual({ text: "a", events: 1, last: { text: "a" } });
  });

  test("one beyond 1 MiB fails", () => {
    expect(() => reassemble(stream("x".repeat(1_048_576)))).toThrow("http stream failed: event exceeds 1048576 bytes");
  });

  test.each([
    ['event: error\ndata: {"error":{"message":"overloaded"}}\n\n', "overloaded"],
    [stream({ type: "error", message: "bad key" }), "bad key"],
    ["event: error\ndata: gone\n\n", "gone"],
    [stream({ error: { message: "internal" } }), "internal"],
    [stream({ error: "model gone" }), "model gone"],
    [stream({ error: { code: 502 }, message: "bad gateway" }), "bad gateway"],
    [stream({ object: "chat.completion.chunk", id: "g", error: { message: "late" } }), "late"],
    [stream({ error: { message: "provider" }, choices: [{ delta: { content: "" }, finish_reason: "error" }] }), "provider"],
    [stream({ choices: [{ delta: {}, finish_reason: "error" }] }), '{"choices":[{"delta":{},"finish_reason":"error"}]}'],
    [stream({ type: "response.failed", response: { error: { message: "no quota" } } }), "no quota"],
  ])("an error fails the action: %j", (whole, reason) => {
    expect(() => reassemble(`${stream("a")}${whole}`)).toThrow(`http stream failed: ${reason}`);
  });
});

test.each([
  { id: 1, error: "a row of its own" },
  { jsonrpc: "2.0", id: 1, error: { message: "m" } },
  { text: "a", error: { message: "m" } },
  { error: null },
  { error: "" },
  { choices: [{ delta: { content: "a" } }], error: null },
  { choices: [{ delta: { content: "a" } }], error: { message: "m" } },
])("no error of the stream: %j", (event) => {
  expect(reassemble(stream(event))).toMatchObject({ events: 1 });
});

describe("what is counted and called", () => {
  test("usage is completed by later events", () => {
    const data = [
      { type: "message_start", message: { usage: { input_tokens: 5, output_tokens: 1 } } },
      { type: "message_delta", delta: {}, usage: { output_tokens: 9 } },
    ];
    expect(reassemble(stream(...data))).toMatchObject({ usage: { input_tokens: 5, output_tokens: 9 }, last: { type: "message_delta" } });
  });

  const called = [{ id: "c1", type: "function", function: { name: "find", arguments: '{"q":1}' } }];
  test.each<[string, Json[]]>([
    [
      "OpenAI chat",
      [
        { choices: [{ delta: { tool_calls: [{ index: 0, id: "c1", function: { name: "find", arguments: "" } }] } }] },
        { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: '{"q"' } }] } }] },
        { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: ":1}" } }] } }] },
      ],
    ],
    [
      "Anthropic",
      [
        { type: "content_block_start", index: 1, content_block: { type: "tool_use", id: "c1", name: "find", input: {} } },
        { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"q":' } },
        { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: "1}" } },
      ],
    ],
    [
      "OpenAI Responses",
      [
        {
          type: "response.output_item.done",
          output_index: 0,
          item: { type: "function_call", call_id: "c1", name: "find", arguments: '{"q":1}' },
        },
      ],
    ],
    ["Gemini", [{ candidates: [{ content: { parts: [{ functionCall: { id: "c1", name: "find", args: { q: 1 } } }] } }] }]],
  ])("tool calls of %s", (_, data) => {
    expect(reassemble(stream(...data))).toMatchObject({ text: "", tool_calls: called });
  });
});

test("a name with another id begins a call, also at one place; an id without a name does not", () => {
  const part = (id: string | undefined, name: string | null, args: string) => ({
    choices: [{ delta: { tool_calls: [{ index: 0, ...(id === undefined ? {} : { id }), function: { name, arguments: args } }] } }],
  });
  const events = [
    part("c1", "find", "{"),
    part("", null, "}"),
    part("c2", "find", ""),
    part("made-up", null, "{"),
    part(undefined, null, "}"),
  ];
  const call = (id: string) => ({ id, type: "function", function: { name: "find", arguments: "{}" } });
  expect(reassemble(stream(...events))).toMatchObject({ tool_calls: [call("c1"), call("c2")] });
});

describe("a call", () => {
  async function call(answer: Parameters<typeof stub>[0], args: Partial<HttpArgs> = {}): Promise<Act> {
    const { url, close } = await stub(answer);
    const made = await act((one) => http(one, { url, ...args }));
    await close();
    return made;
  }
  const type = { "content-type": "text/event-stream; charset=utf-8" };

  test("gives the reassembled body, and the raw text on demand", async () => {
    const body = stream({ text: "a" }, { text: "b" });
    const made = await call((response) => response.writeHead(200, type).end(body));
    expect(made.data).toMatchObject({ status: 200, body: { text: "ab", events: 2, last: { text: "b" } } });
    const raw = await call((response) => response.writeHead(200, type).end(body), { data_type: "text" });
    expect(raw.data).toMatchObject({ body });
  });

  test("an error in the stream fails it, but not before its status", async () => {
    const body = stream({ type: "error", message: "busy" });
    expect(await call((response) => response.writeHead(200, type).end(body))).toMatchObject({
      state: "failed",
      error: "http stream failed: busy",
      data: null,
      upstream: 502,
    });
    const missed = await call((response) => response.writeHead(500, type).end(body));
    expect(missed).toMatchObject({ error: expect.stringMatching(/^http status 500/), data: { body } });
  });

  test("lines of JSON are events when the action asks for a stream, and only then", async () => {
    const lines = { "content-type": "application/x-ndjson" };
    const body = '\uFEFF{"text":"a"}\r\n\n{"text":"b","usage":{"n":1}}\n{"text":"c"}';
    const answer = (response: ServerResponse): unknown => response.writeHead(200, lines).end(body);
    const asked = await call(answer, { stream: true });
    expect(asked.data).toMatchObject({ body: { text: "abc", events: 3, last: { text: "c" }, usage: { n: 1 } } });
    expect((await call(answer)).data).toMatchObject({ body: expect.stringContaining('"text":"a"') });
    expect((await call(answer, { stream: true, data_type: "ndjson" })).data).toMatchObject({ body: [{ text: "a" }, {}, { text: "c" }] });
    const json = await call((response) => response.writeHead(200, { "content-type": "application/json" }).end("[1]"), { stream: true });
    expect(json.data).toMatchObject({ body: [1] });
    const large = `"${"x".repeat(1_048_576)}"\n`;
    const failed = await call((response) => response.writeHead(200, lines).end(large), { stream: true });
    expect(failed.error).toBe("http stream failed: event exceeds 1048576 bytes");
  });

  test("a silence beyond idle_timeout ends it; each byte begins a new one", async () => {
    // The times between the bytes are far below the limit, and together above it.
    const began = performance.now();
    const made = await call(
      (response) => {
        response.writeHead(200, type);
        for (const ms of [0, 750, 1_500]) setTimeout(() => response.write("data: x\n\n"), ms);
      },
      { idle_timeout: 1_500 },
    );
    expect(made).toMatchObject({ state: "failed", error: "stream idle timeout", upstream: 504 });
    expect(performance.now() - began).toBeGreaterThan(2_900);
  });
});

test("a long stream is read in pieces, wherever they end", () => {
  const data = Array.from({ length: 20_000 }, (_, i) => `é${"😀".repeat(i % 7)}${i}`);
  const whole = data.map((each, i) => `data: ${each}${["\n\n", "\r\n\r\n", "\r\r"][i % 3]}`).join("");
  const work = reassembled(whole);
  let turns = 0;
  let step = work.next();
  for (; step.done !== true; step = work.next()) turns += 1;
  expect(step.value).toEqual({ text: data.join(""), events: data.length, last: null });
  expect(turns).toBeGreaterThan(5);
  const lines = Array.from({ length: 50_000 }, (_, i) => JSON.stringify({ i }));
  expect(atOnce(reassembledLines(lines.join("\n")))).toMatchObject({ events: 50_000, last: { i: 49_999 } });
});
