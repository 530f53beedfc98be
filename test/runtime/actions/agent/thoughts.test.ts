import { describe, expect, test } from "vitest";
import { openai } from "#runtime/features/actions/agent/openai.ts";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { dataOf, desk, peer } from "./desk.ts";

// Words of the protocols that depend on the model: its thoughts, and the name of the bound of tokens (spec/surfaces 15.1).

const interfaces = (stream: boolean): string => `
interfaces:
  a:
    output: http
    method: POST
    actions:
      - name: A
        agent:
          model: { api: anthropic, url: a|env::MODEL|, name: m1 }
          prompt: a|body::q|
          tools: [{ interface: look }]
          memory: { key: talk }
          stream: ${stream}
  look: { actions: [{ name: L, json_output: { seen: true } }] }
`;

const contents = (asked: JsonObject | undefined, role: string): readonly Json[] =>
  ((asked?.messages ?? []) as JsonObject[]).flatMap((message) => (message.role === role ? [message.content ?? null] : [])); // what we have sent

describe.each([
  [false, false],
  [false, true],
  [true, false],
  [true, true],
])("streamed: %s, walked: %s", (stream, interpret) => {
  const script = [
    { thinking: "He wants to sée.", text: "Wait.", calls: [{ name: "look", args: { deep: { n: 1 } } }] },
    { thinking: "Done.", text: "Seen." },
  ];

  test("thoughts go back as they came, before the calls that they led to", async () => {
    const model = await peer("anthropic", script);
    const { ask } = await desk(interfaces(stream), model.url, { interpret });
    expect(dataOf(await ask("/a", { q: "go" }))).toMatchObject({ text: "Seen.", turns: 2, tool_calls: [{ name: "look", ok: true }] });
    expect(contents(model.asked()[1], "assistant")).toEqual([
      [
        { type: "thinking", thinking: "He wants to sée.", signature: "signed He wants to sée." },
        { type: "redacted_thinking", data: "hidden" },
        { type: "text", text: "Wait." },
        { type: "tool_use", id: "call_0_0", name: "look", input: { deep: { n: 1 } } },
      ],
    ]);
  });

  test("they are forgotten with the question", async () => {
    const model = await peer("anthropic", script);
    const { ask } = await desk(interfaces(stream), model.url, { interpret });
    for (const q of ["go", "again"]) await ask("/a", { q });
    expect(JSON.stringify(contents(model.asked()[2], "assistant"))).not.toContain("thinking");
    expect(contents(model.asked()[2], "assistant")).toHaveLength(2);
  });
});

test.each([
  ["https://api.openai.com/v1", "gpt-4o", "max_completion_tokens"],
  ["https://eu.api.openai.com/v1", "gpt-4.1-mini", "max_completion_tokens"],
  ["https://shop.openai.azure.com/openai/v1", "o3-mini", "max_completion_tokens"],
  ["https://openrouter.ai/api/v1", "openai/gpt-5-mini", "max_completion_tokens"],
  ["https://openai.com.example/v1", "gpt-4o", "max_tokens"],
  ["http://localhost:11434/v1", "gpt-oss:20b", "max_tokens"],
  ["http://localhost:11434/v1", "olmo2", "max_tokens"],
])("%s is told the bound of %s as %s", (address, model, name) => {
  const question = { model, system: null, messages: [], tools: [], temperature: null, max_tokens: 7, schema: undefined, streams: false };
  const { max_tokens, max_completion_tokens } = openai.body(question, address);
  expect({ max_tokens, max_completion_tokens }).toEqual({ max_tokens: undefined, max_completion_tokens: undefined, [name]: 7 });
});
