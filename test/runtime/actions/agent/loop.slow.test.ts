import type { IncomingHttpHeaders } from "node:http";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "#runtime/value/json.ts";
import type { Turn } from "../../../harness/peers/model-peer.ts";
import { untilTrue } from "../../../harness/until.ts";
import { dataOf, desk, entryOf, everyWay, peer } from "./desk.ts";

// The loop of an agent (spec/surfaces 15.1): turns, calls of interfaces, and everything that a model may do wrong.

const interfaces = (api: string, more = ""): string => `
interfaces:
  a:
    output: http
    method: POST
    show_error_detail: true
    actions:
      - name: A
        agent:
          model: { api: ${api}, url: a|env::MODEL|, name: m1, key: a|var::MODEL_KEY|, price: { input: 3, output: 15 } }
          system: Help.
          prompt: a|body::q|
          tools: [{ interface: stock/level }, { interface: fails }, { interface: slow }]
          ${more}
  stock/level:
    summary: The stock of a product
    actions:
      - name: Level
        input: a|body|
        assert: { tests: [{ value: sku, is_not_null: true, regex: "^[a-z]+$" }] }
        post_transforms: [{ add_attribute: { level: 7 } }]
      - { name: Seen, json_output: { who: "a|headers::x-who|", ip: "a|ip::socket|", trigger: "a|request::trigger|", sku: "a|params::sku|" } }
  fails: { actions: [{ name: F, json_output: { x: 2 }, assert: { tests: [{ value: x, is_equal_to: 1, error_message: x is wrong }] } }] }
  slow: { actions: [{ name: S, http: { url: "a|env::MODEL|/hang" } }] }
`;

const call = (name: string, args: Turn["calls"] extends infer _ ? JsonObject | string : never): Turn => ({ calls: [{ name, args }] });

/** Results of tools as the model got them, in either protocol. */
function resultsIn(asked: JsonObject | undefined): { readonly id: unknown; readonly text: string; readonly isError: unknown }[] {
  return ((asked?.messages ?? []) as JsonObject[]).flatMap((message) => {
    if (message.role === "tool") return [{ id: message.tool_call_id, text: String(message.content), isError: undefined }];
    const content = Array.isArray(message.content) ? (message.content as JsonObject[]) : [];
    return content.flatMap((block) =>
      block.type === "tool_result" ? [{ id: block.tool_use_id, text: String(block.content), isError: block.is_error }] : [],
    );
  });
}

describe.each(everyWay)("%s, %s", (api, _, interpret) => {
  test("calls an interface as the caller, and answers", async () => {
    const model = await peer(api, [{ text: "Let me look.", ...call("stock_level", { sku: "bolt" }) }, { text: "Seven." }]);
    const { ask } = await desk(interfaces(api), model.url, { interpret, variables: { MODEL_KEY: () => "sk-canary-1" } });
    const answer = await ask("/a", { q: "How many bolts?" }, { "x-who": "ann" });
    expect(dataOf(answer)).toEqual({
      text: "Seven.",
      turns: 2,
      stop: "end",
      tool_calls: [{ name: "stock_level", args: { sku: "bolt" }, ok: true, ms: expect.any(Number) }],
      usage: { input_tokens: 6, output_tokens: 4, cost: expect.closeTo(0.000078, 9) },
    });
    const headers: IncomingHttpHeaders = model.seen[0]?.headers ?? {};
    expect(api === "openai" ? headers.authorization : headers["x-api-key"]).toBe(api === "openai" ? "Bearer sk-canary-1" : "sk-canary-1");
    const [first, second] = model.asked();
    const result = JSON.parse(resultsIn(second)[0]?.text ?? "");
    expect(result.data).toMatchObject({
      Level: { data: { sku: "bolt", level: 7 } },
      Seen: { data: { who: "ann", ip: "127.0.0.1", trigger: "agent", sku: "bolt" } },
    });
    expect(model.seen.map(({ path }) => path)).toEqual(Array(2).fill(api === "openai" ? "/v1/chat/completions" : "/v1/messages"));
    const schema = { type: "object", properties: { sku: { type: "string", pattern: "^[a-z]+$" } }, required: ["sku"] };
    expect(JSON.stringify(first?.tools)).toContain(JSON.stringify(schema));
    expect(first?.tools).toHaveLength(3);
  });

  test.each([
    ["an unknown tool", call("drop_tables", {}), "there is no tool 'drop_tables'"],
    ["wrong arguments", call("stock_level", { sku: "BOLT 1" }), "not run: the arguments are wrong:\n/sku must match pattern"],
    ["missing arguments", call("stock_level", {}), "must have required property 'sku'"],
    ["a run that fails", call("fails", {}), "x is wrong"],
  ])("tells the model of %s", async (_name, first, told) => {
    const model = await peer(api, [first, { text: "Sorry." }]);
    const { ask } = await desk(interfaces(api), model.url, { interpret });
    const data = dataOf(await ask("/a", { q: "go" }));
    expect(data).toMatchObject({ text: "Sorry.", turns: 2, tool_calls: [{ ok: false }] });
    const [result] = resultsIn(model.asked()[1]);
    expect(result?.text).toContain(told);
    if (api === "anthropic") expect(result?.isError).toBe(true);
  });

  test("ends a loop without end after max_turns, and keeps what was done", async () => {
    const model = await peer(api, [call("stock_level", { sku: "bolt" })]);
    const { ask } = await desk(interfaces(api, "max_turns: 3"), model.url, { interpret });
    const entry = entryOf(await ask("/a", { q: "go" }));
    expect(entry.error).toBe("agent max_turns reached");
    expect(entry.data).toMatchObject({ turns: 3, stop: "max_turns", tool_calls: [{ ok: true }, { ok: true }, { ok: true }] });
    expect(model.seen).toHaveLength(3);
  });

  test("runs no more tools than max_tool_calls", async () => {
    const two: Turn = { calls: [1, 2, 3].map(() => ({ name: "stock_level", args: { sku: "bolt" } })) };
    const model = await peer(api, [two, { text: "Done." }]);
    const { ask } = await desk(interfaces(api, "max_tool_calls: 2"), model.url, { interpret });
    expect(dataOf(await ask("/a", { q: "go" })).tool_calls).toMatchObject([{ ok: true }, { ok: true }, { ok: false }]);
    expect(resultsIn(model.asked()[1]).at(-1)?.text).toBe("not run: max_tool_calls is reached");
  });

  test("spends no more than max_tokens_total", async () => {
    const model = await peer(api, [{ ...call("stock_level", { sku: "bolt" }), usage: [90, 20] }]);
    const { ask } = await desk(interfaces(api, "max_tokens_total: 100"), model.url, { interpret });
    const entry = entryOf(await ask("/a", { q: "go" }));
    expect(entry.error).toBe("agent max_tokens_total reached");
    expect(entry.data).toMatchObject({ turns: 1, usage: { input_tokens: 90, output_tokens: 20 } });
  });

  test("says that an answer was cut", async () => {
    const model = await peer(api, [{ text: "Seve", stop: "cut" }]);
    const { ask } = await desk(interfaces(api), model.url, { interpret });
    const entry = entryOf(await ask("/a", { q: "go" }));
    expect(entry).toMatchObject({ error: "agent: the answer was cut at max_tokens", data: { text: "Seve", stop: "max_tokens" } });
  });

  test.each([
    ["half JSON", '{"choices": [', "agent: the service has sent no answer of a model"],
    ["another value", '{"ok": true}', "agent: the service has sent no answer of a model"],
    ["a number", "7", "agent: the service has sent no answer of a model"],
  ])("takes %s for no answer", async (_name, raw, error) => {
    const model = await peer(api, [{ raw }]);
    const { ask } = await desk(interfaces(api), model.url, { interpret });
    expect(entryOf(await ask("/a", { q: "go" })).error).toBe(error);
  });

  test("a caller that goes away stops the call of the model, and of a tool", async () => {
    for (const [turn, requests] of [[{ silent: true }, 1] as const, [call("slow", {}), 2] as const]) {
      const model = await peer(api, [turn]);
      const { served } = await desk(interfaces(api), model.url, { interpret });
      const gone = new AbortController();
      const asked = fetch(`${served.url}/a`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"q":"go"}',
        signal: gone.signal,
      });
      await untilTrue(() => model.seen.length === requests);
      gone.abort();
      await expect(asked).rejects.toThrow();
      await untilTrue(() => model.left() === 1);
      await served.close();
      expect(model.seen).toHaveLength(requests);
    }
  });

  test("another try of a call repeats no tool", async () => {
    const model = await peer(api, [
      call("stock_level", { sku: "bolt" }),
      { status: 429, headers: { "retry-after": "0" } },
      { status: 503 },
      { text: "Seven." },
    ]);
    const { ask } = await desk(
      interfaces(api).replace("        agent:", "        retry: { attempts: 3, delay: 1ms }\n        agent:"),
      model.url,
      { interpret },
    );
    const data = dataOf(await ask("/a", { q: "go" }));
    expect(data).toMatchObject({ text: "Seven.", turns: 2, tool_calls: [{ name: "stock_level" }] });
    expect(model.seen).toHaveLength(4);
  });

  test("a service that refuses", async () => {
    const model = await peer(api, [{ status: 401 }]);
    const { ask } = await desk(interfaces(api), model.url, { interpret });
    expect(entryOf(await ask("/a", { q: "go" })).error).toContain("401");
  });
});
