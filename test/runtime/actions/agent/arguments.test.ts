import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import type { Api, Turn } from "../../../harness/peers/model-peer.ts";
import { dataOf, desk, entryOf, peer } from "./desk.ts";

// Arguments in other forms than a text, and reasons for which an answer has ended (spec/surfaces 15.1).

const interfaces = (api: Api, stream: boolean): string => `
interfaces:
  a:
    output: http
    method: POST
    show_error_detail: true
    actions:
      - name: A
        agent: { model: { api: ${api}, url: a|env::MODEL|, name: m1 }, prompt: a|body::q|, tools: [{ interface: look }], stream: ${stream} }
  look: { actions: [{ name: L, json_output: { seen: a|body::n| } }] }
`;

const events = (...data: readonly Json[]): Turn => ({
  raw: data.map((each) => `data: ${JSON.stringify(each)}\n\n`).join(""),
  headers: { "content-type": "text/event-stream" },
});

type Ending = (reason: Json, calls: readonly JsonObject[]) => Turn;

/** An answer with a text, calls and a reason, in the words of each protocol. */
const openai: Ending = (finish_reason, tool_calls) => ({
  raw: JSON.stringify({ choices: [{ finish_reason, message: { role: "assistant", content: "Half", tool_calls: [...tool_calls] } }] }),
});
const openaiStream: Ending = (finish_reason, tool_calls) =>
  events(
    { choices: [{ index: 0, delta: { content: "Half", tool_calls: tool_calls.map((call, index) => ({ index, ...call })) } }] },
    { choices: [{ index: 0, delta: {}, finish_reason }] },
  );
const anthropic: Ending = (stop_reason, calls) => ({
  raw: JSON.stringify({ content: [{ type: "text", text: "Half" }, ...calls], stop_reason }),
});
const anthropicStream: Ending = (stop_reason, calls) =>
  events(
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Half" } },
    ...calls.map((content_block, i) => ({ type: "content_block_start", index: i + 1, content_block })),
    { type: "message_delta", delta: { stop_reason } },
    { type: "message_stop" },
  );

const openaiCall = (args: JsonObject): JsonObject => ({ id: "c1", type: "function", function: { name: "look", ...args } });
const anthropicCall = (args: JsonObject): JsonObject => ({ type: "tool_use", id: "c1", name: "look", ...args });

const ways: readonly (readonly [name: string, api: Api, stream: boolean, ending: Ending])[] = [
  ["openai", "openai", false, openai],
  ["openai streamed", "openai", true, openaiStream],
  ["anthropic", "anthropic", false, anthropic],
  ["anthropic streamed", "anthropic", true, anthropicStream],
];

describe.each([
  ["printed", false],
  ["walked", true],
])("%s", (_, interpret) => {
  describe.each(ways)("%s", (_name, api, stream, ending) => {
    const answered = async (...script: readonly Turn[]) => {
      const model = await peer(api, script);
      const { ask } = await desk(interfaces(api, stream), model.url, { interpret });
      return { answer: await ask("/a", { q: "go" }), model };
    };
    const called = (value: Json): Turn =>
      api === "openai" ? ending("tool_calls", [openaiCall({ arguments: value })]) : ending("tool_use", [anthropicCall({ input: value })]);

    test("an object is taken as it is", async () => {
      const { answer, model } = await answered(called({ n: 7 }), { text: "ok" });
      expect(dataOf(answer).tool_calls).toMatchObject([{ name: "look", args: { n: 7 }, ok: true }]);
      expect(JSON.stringify(model.asked()[1])).toMatch(api === "openai" ? /"arguments":"\{\\"n\\":7\}"/ : /"input":\{"n":7\}/);
    });

    test("an empty object, too", async () => {
      const { answer } = await answered(called({}), { text: "ok" });
      expect(dataOf(answer).tool_calls).toMatchObject([{ args: {}, ok: true }]);
    });

    test("a number, a boolean and a list are no JSON object, and nothing runs", async () => {
      for (const value of [7, true, [{ n: 7 }]]) {
        const { answer, model } = await answered(called(value), { text: "ok" });
        expect(dataOf(answer).tool_calls).toMatchObject([{ args: JSON.stringify(value), ok: false }]);
        expect(JSON.stringify(model.asked()[1])).toContain("not run: the arguments are no JSON object");
      }
    });

    test("an answer that was withheld is an end as a refusal, and none of its calls runs", async () => {
      const call = api === "openai" ? openaiCall({ arguments: '{"n":1}' }) : anthropicCall({ input: { n: 1 } });
      for (const reason of ["content_filter", "refusal"]) {
        const { answer, model } = await answered(ending(reason, [call]), { text: "no" });
        expect(dataOf(answer)).toMatchObject({ text: "Half", stop: "refusal", tool_calls: [] });
        expect(model.seen).toHaveLength(1);
      }
    });

    test("an answer that filled the context window fails as one that was cut", async () => {
      for (const reason of ["model_context_window_exceeded", "model_length"]) {
        const { answer } = await answered(ending(reason, []));
        const error = "agent: the answer was cut at the context window of the model";
        expect(entryOf(answer)).toMatchObject({ error, data: { text: "Half" } });
      }
    });

    test("a reason that means no known end fails with its name", async () => {
      for (const reason of ["pause_turn", "insufficient_system_resource"]) {
        const { answer, model } = await answered(ending(reason, []));
        const error = `agent: the answer is not complete, because the service has ended it with '${reason}'`;
        expect(entryOf(answer)).toMatchObject({ error, data: { text: "Half", stop: "error" } });
        expect(model.seen).toHaveLength(1);
      }
    });

    test("reasons of several services are an end", async () => {
      const reasons = ["stop", "STOP", "eos", "end_turn", "stop_sequence", "tool_calls", "function_call", "tool_use", ""];
      const model = await peer(
        api,
        reasons.map((reason) => ending(reason, [])),
      );
      const { ask } = await desk(interfaces(api, stream), model.url, { interpret });
      for (const _reason of reasons) expect(dataOf(await ask("/a", { q: "go" }))).toMatchObject({ text: "Half", stop: "end" });
    });
  });

  test("null as arguments of an answer is no JSON object; a missing member and a part of a stream without a text are none at all", async () => {
    const ran = async (ending: Ending, stream: boolean, args: JsonObject) => {
      const model = await peer("openai", [ending("tool_calls", [openaiCall(args)]), { text: "ok" }]);
      const { ask } = await desk(interfaces("openai", stream), model.url, { interpret });
      return dataOf(await ask("/a", { q: "go" })).tool_calls;
    };
    expect(await ran(openai, false, { arguments: null })).toMatchObject([{ args: "null", ok: false }]);
    expect(await ran(openai, false, {})).toMatchObject([{ args: {}, ok: true }]);
    expect(await ran(openaiStream, true, { arguments: null })).toMatchObject([{ args: {}, ok: true }]);
  });
});
