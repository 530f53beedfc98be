import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import type { Api, Turn } from "../../../harness/peers/model-peer.ts";
import { dataOf, desk, entryOf, peer } from "./desk.ts";

// Answers that are unusual: empty, refused, in parts, in a stream that does not end (spec/surfaces 15.1).

const interfaces = (api: Api, more: string): string => `
interfaces:
  a:
    output: http
    method: POST
    show_error_detail: true
    actions:
      - name: A
        retry: { attempts: 2, delay: 1ms, on: [any] }
        agent: { model: { api: ${api}, url: a|env::MODEL|, name: m1 }, prompt: a|body::q|, tools: [{ interface: look }], ${more} }
  look: { actions: [{ name: L, json_output: { seen: a|body::n| } }] }
`;

const events = (...data: readonly Json[]): Turn => ({
  raw: data.map((each) => `data: ${typeof each === "string" ? each : JSON.stringify(each)}\n\n`).join(""),
  headers: { "content-type": "text/event-stream" },
});

const chunk = (delta: JsonObject, finish_reason: string | null = null): JsonObject => ({ choices: [{ index: 0, delta, finish_reason }] });

const whole = (message: JsonObject, finish_reason = "stop"): Turn => ({
  raw: JSON.stringify({ choices: [{ finish_reason, message: { role: "assistant", ...message } }] }),
});

const blocks = (content: readonly Json[], stop_reason = "end_turn"): Turn => ({ raw: JSON.stringify({ content, stop_reason }) });

const messagesOf = (asked: JsonObject | undefined): Json => asked?.messages ?? null;

describe.each([
  ["printed", false],
  ["walked", true],
])("%s", (_, interpret) => {
  const started = async (api: Api, more: string, ...script: readonly Turn[]) => {
    const model = await peer(api, script);
    return { model, ...(await desk(interfaces(api, more), model.url, { interpret })) };
  };

  test.each<[string, Api, Turn, number]>([
    ["a stream without an end", "openai", events(chunk({ content: "half" })), 2],
    ["a stream of Anthropic without an end", "anthropic", events({ type: "content_block_delta", delta: { text: "half" } }), 2],
  ])("%s is a lost connection", async (_name, api, turn, calls) => {
    const { ask, model } = await started(api, "stream: true", turn);
    const answer = await ask("/a", { q: "go" });
    expect(entryOf(answer)).toMatchObject({ data: null, error: "http connection lost: the stream ends inside of the answer" });
    expect(model.seen).toHaveLength(calls);
  });

  test("one that ends at the second attempt is the answer", async () => {
    const { ask } = await started("openai", "stream: true", events(chunk({ content: "half" })), { text: "Whole." });
    expect(dataOf(await ask("/a", { q: "go" }))).toMatchObject({ text: "Whole.", turns: 1, stop: "end" });
  });

  test.each<[string, Api, Turn]>([
    ["[DONE]", "openai", events(chunk({ content: "Hi" }), "[DONE]")],
    ["a reason", "openai", events(chunk({ content: "Hi" }), chunk({}, "stop"))],
    ["message_stop", "anthropic", events({ type: "content_block_delta", delta: { text: "Hi" } }, { type: "message_stop" })],
  ])("%s ends a stream", async (_name, api, turn) => {
    const { ask } = await started(api, "stream: true", turn);
    expect(dataOf(await ask("/a", { q: "go" }))).toMatchObject({ text: "Hi", stop: "end" });
  });

  test.each<[string, Api, boolean, Turn, string, string]>([
    ["a refusal", "openai", false, whole({ content: null, refusal: "I cannot." }), "I cannot.", "refusal"],
    [
      "a streamed refusal",
      "openai",
      true,
      events(chunk({ refusal: "I can" }), chunk({ refusal: "not." }), chunk({}, "stop")),
      "I cannot.",
      "refusal",
    ],
    ["a refusal of Anthropic", "anthropic", false, blocks([], "refusal"), "", "refusal"],
    [
      "one that is streamed",
      "anthropic",
      true,
      events({ type: "message_delta", delta: { stop_reason: "refusal" } }, { type: "message_stop" }),
      "",
      "refusal",
    ],
    [
      "content in parts",
      "openai",
      false,
      whole({
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      }),
      "ab",
      "end",
    ],
    ["streamed parts", "openai", true, events(chunk({ content: [{ type: "text", text: "ab" }] }), "[DONE]"), "ab", "end"],
  ])("%s has its text", async (_name, api, stream, turn, text, stop) => {
    const { ask } = await started(api, `stream: ${stream}`, turn);
    expect(dataOf(await ask("/a", { q: "go" }))).toMatchObject({ text, stop });
  });

  test("an answer that is an error is none", async () => {
    const { ask } = await started("openai", "stream: false", whole({ content: "" }, "error"));
    expect(entryOf(await ask("/a", { q: "go" })).error).toBe("agent: the service has sent no answer of a model");
  });

  test("an empty answer of Anthropic is not sent back, and roles alternate", async () => {
    const { ask, model } = await started("anthropic", "memory: { key: k }", blocks([]), blocks([{ type: "text", text: "\n " }]), {
      text: "Hi.",
    });
    for (const q of ["one", "two", "three"]) await ask("/a", { q });
    const [, second, third] = model.asked().map(messagesOf);
    const text = (each: string): JsonObject => ({ type: "text", text: each });
    expect(second).toEqual([{ role: "user", content: [text("one"), text("two")] }]);
    expect(third).toEqual([{ role: "user", content: [text("one"), text("two"), text("three")] }]);
  });

  test("nor is one that was to be mended", async () => {
    const output = "output: { schema: { type: object } }";
    const call: Turn = { text: " ", calls: [{ name: "look", args: { n: 1 } }] };
    const { ask, model } = await started("anthropic", output, call, blocks([]), { text: "{}" });
    expect(dataOf(await ask("/a", { q: "go" }))).toMatchObject({ output: {} });
    const last = messagesOf(model.asked()[2]) as JsonObject[]; // what we have sent
    expect(
      last.map(({ role, content }) => [
        role,
        ((content ?? []) as JsonObject[]).length && (content as JsonObject[]).map?.(({ type }) => type),
      ]),
    ).toEqual([
      ["user", undefined],
      ["assistant", ["tool_use"]],
      ["user", ["tool_result", "text"]],
    ]);
  });

  test.each(["env", "var", "ap_var"])("a key of %s that the service echoes is hidden in the error and the log", async (root) => {
    const key = "sk-canary-0123";
    const model = await peer("openai", [
      { status: 401, raw: JSON.stringify({ error: { message: `Incorrect API key provided: ${key}` } }) },
    ]);
    const said: Json[] = [];
    const text = interfaces("openai", "stream: false").replace("name: m1", `name: m1, key: a|${root}::OPENAI_API_KEY|`);
    const { ask } = await desk(text, model.url, {
      interpret,
      env: { OPENAI_API_KEY: root === "env" ? key : "" },
      variables: root === "env" ? {} : { OPENAI_API_KEY: key },
      log: (_, msg, fields) => void said.push(msg, { ...fields }),
    });
    const answer = await ask("/a", { q: "go" });
    expect(model.seen[0]?.headers.authorization).toBe(`Bearer ${key}`);
    expect(entryOf(answer).error).toBe("agent: the service of the model has answered 401: Incorrect API key provided: ***");
    expect(JSON.stringify([answer.body, said])).not.toContain(key);
    expect(JSON.stringify(said)).toContain("***");
  });

  test("calls that share an index are two", async () => {
    const part = (id: string, n: number) => chunk({ tool_calls: [{ index: 0, id, function: { name: "look", arguments: `{"n":${n}}` } }] });
    const { ask } = await started("openai", "stream: true", events(part("c1", 1), part("c2", 2), chunk({}, "tool_calls"), "[DONE]"), {
      text: "ok",
    });
    expect(dataOf(await ask("/a", { q: "go" })).tool_calls).toMatchObject([
      { args: { n: 1 }, ok: true },
      { args: { n: 2 }, ok: true },
    ]);
  });
});
