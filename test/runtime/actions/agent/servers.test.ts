import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { stub } from "../../../harness/sockets.ts";
import { dataOf, desk, entryOf, kept, peer } from "./desk.ts";
import { agentWith, olderServer, plain, toolTexts } from "./older-server.ts";

// Tools of MCP servers (spec/surfaces 15.1): our own trigger is the server of the newer era, a scripted one is
// that of the older and misbehaves.

const shop = `
interfaces:
  find/order:
    summary: Find an order
    mcp: { enabled: true }
    actions:
      - { name: Asked, input: a|body|, assert: { tests: [{ value: id, is_not_null: true, is_greater_than: 0 }] } }
      - { name: Order, json_output: { id: "a|body::id|", who: "a|headers::x-desk|", hops: "a|headers::pipewright-hops|", secret: sk-canary-12345 } }
  drop: { summary: Drop everything, mcp: { enabled: true }, actions: [] }
  fails: { mcp: { enabled: true }, actions: [{ name: F, json_output: { x: 2 }, assert: { tests: [{ value: x, is_equal_to: 1, error_message: x is wrong }] } }] }
`;

const names = (asked: JsonObject | undefined): readonly unknown[] =>
  ((asked?.tools ?? []) as JsonObject[]).map((each) => (each.function as JsonObject).name);

describe.each([false, true])("a server of ours, walked: %s", (interpret) => {
  test("lists the allowed tools alone, and runs them", async () => {
    const { served } = await desk(shop, "http://127.0.0.1:1");
    const model = await peer("openai", [
      { calls: [{ name: "crm_find_order", args: { id: 7 } }] },
      {
        calls: [
          { name: "crm_find_order", args: { id: -1 } },
          { name: "crm_drop", args: {} },
        ],
      },
      { calls: [{ name: "crm_fails", args: {} }] },
      { text: "Done." },
    ]);
    const options = { interpret, env: { TOOLS: `${served.url}/mcp` }, variables: { DESK: () => "sk-canary-12345" } };
    const { ask } = await desk(agentWith("name: crm, allow: [find_order, fails]"), model.url, options);
    const data = dataOf(await ask("/a", { q: "go" }));
    expect(data).toMatchObject({ text: "Done.", turns: 4, tool_calls: [{ ok: true }, { ok: false }, { ok: false }, { ok: false }] });
    const asked = model.asked();
    expect(names(asked[0])).toEqual(["crm_fails", "crm_find_order"]);
    const [found, wrong, unknown, failed] = toolTexts(asked[3]);
    expect(JSON.parse(String(found)).data.Order.data).toMatchObject({ id: 7, hops: "1" });
    // A secret of this process does not reach the model, even when a service sends it.
    expect(JSON.stringify(asked)).not.toContain("sk-canary-12345");
    expect(wrong).toContain("not run: the arguments are wrong");
    expect(unknown).toBe("there is no tool 'crm_drop'");
    expect(failed).toContain("x is wrong");
  });

  test("an allowed tool that is missing fails the action before the model is asked", async () => {
    const { served } = await desk(shop, "http://127.0.0.1:1");
    const model = await peer("openai", [{ text: "x" }]);
    const { ask } = await desk(agentWith("allow: [drop, restore]"), model.url, { interpret, env: { TOOLS: `${served.url}/mcp` } });
    expect(entryOf(await ask("/a", { q: "go" })).error).toMatch(/^agent: 127\.0\.0\.1:\d+ offers no tool 'restore'$/);
    expect(model.seen).toEqual([]);
  });

  test("every tool, where it says so", async () => {
    const { served } = await desk(shop, "http://127.0.0.1:1");
    const model = await peer("openai", [{ text: "x" }]);
    const { ask } = await desk(agentWith('allow: ["*"]'), model.url, { interpret, env: { TOOLS: `${served.url}/mcp` } });
    await ask("/a", { q: "go" });
    expect(names(model.asked()[0])).toEqual(["drop", "fails", "find_order"]);
  });
});

describe("a server of the older era", () => {
  test.each([{}, { sse: true as const }])("is spoken to %j, and its session ends with the run", async (more) => {
    const server = await olderServer(
      [plain("look")],
      () => ({
        content: [
          { type: "text", text: "seen" },
          { type: "image", data: "eA==", mimeType: "image/png" },
        ],
      }),
      more,
    );
    const model = await peer("openai", [{ calls: [{ name: "look", args: {} }] }, { text: "Done." }]);
    const { ask } = await desk(agentWith("allow: [look]"), model.url, { env: { TOOLS: `${server.url}/mcp` }, variables: { DESK: "d-1" } });
    expect(dataOf(await ask("/a", { q: "go" }, { "x-who": "ann" }))).toMatchObject({ text: "Done.", tool_calls: [{ ok: true }] });
    expect(toolTexts(model.asked()[1])).toEqual(["seen\n[image]"]);
    const last = server.seen.at(-1);
    expect(last?.method).toBe("DELETE");
    expect(last?.headers).toMatchObject({ "mcp-session-id": "s-1", "x-desk": "d-1", "x-caller": "ann" });
  });

  test("says that a tool has failed", async () => {
    const server = await olderServer([plain("look")], () => ({ isError: true, content: [{ type: "text", text: "no such thing" }] }));
    const model = await peer("openai", [{ calls: [{ name: "look", args: {} }] }, { text: "Done." }]);
    const { ask } = await desk(agentWith("allow: [look]"), model.url, { env: { TOOLS: server.url } });
    expect(dataOf(await ask("/a", { q: "go" }))).toMatchObject({ tool_calls: [{ ok: false }] });
    expect(toolTexts(model.asked()[1])).toEqual(["no such thing"]);
  });

  test.each([
    ["a result that is none", 7],
    ["one without content", { content: 7 }],
  ])("gives %s: the model hears of it", async (_, result) => {
    const server = await olderServer([plain("look")], () => result as Json);
    const model = await peer("openai", [{ calls: [{ name: "look", args: {} }] }, { text: "Done." }]);
    const { ask } = await desk(agentWith("allow: [look]"), model.url, { env: { TOOLS: server.url } });
    expect(dataOf(await ask("/a", { q: "go" }))).toMatchObject({ text: "Done.", tool_calls: [{ ok: false }] });
    expect(String(toolTexts(model.asked()[1])[0])).toMatch(/^the server has failed: /);
  });

  test("cuts a huge result", async () => {
    const server = await olderServer([plain("look")], () => ({ content: [{ type: "text", text: "x".repeat(300_000) }] }));
    const model = await peer("openai", [{ calls: [{ name: "look", args: {} }] }, { text: "Done." }]);
    const { ask } = await desk(agentWith("allow: [look]"), model.url, { env: { TOOLS: server.url } });
    await ask("/a", { q: "go" });
    expect(String(toolTexts(model.asked()[1])[0])).toMatch(/^x{100000}\n\[cut after 100000 characters\]$/);
  });

  test.each([
    ["a pattern that is none", { type: "object", properties: { a: { type: "string", pattern: "(" } } }],
    ["a reference to elsewhere", { type: "object", properties: { a: { $ref: "http://evil.example/x" } } }],
    ["a huge one", { type: "object", description: "x".repeat(70_000) }],
  ])("has a schema that cannot be used: %s", async (_, schema) => {
    const server = await olderServer([plain("look", schema), plain("see")], () => ({ content: [] }));
    const model = await peer("openai", [{ text: "Done." }]);
    const named = await desk(agentWith("allow: [look]"), model.url, { env: { TOOLS: server.url } });
    expect(entryOf(await named.ask("/a", { q: "go" })).error).toMatch(
      /^agent: the tool 'look' of 127\.0\.0\.1:\d+ cannot be used: its schema is refused: /,
    );
    const any = await desk(agentWith('allow: ["*"]'), model.url, { env: { TOOLS: server.url } });
    await any.ask("/a", { q: "go" });
    expect(names(model.asked()[0])).toEqual(["see"]);
  });

  test("puts no tool in the place of another one", async () => {
    const server = await olderServer([plain("look"), plain("look")], () => ({ content: [] }));
    const model = await peer("openai", [{ text: "Done." }]);
    const { ask } = await desk(agentWith('allow: ["*"]'), model.url, { env: { TOOLS: server.url } });
    expect(entryOf(await ask("/a", { q: "go" })).error).toBe("agent: two tools are called 'look'");
  });
});

test.each([
  ["nobody", "http://127.0.0.1:1/mcp", /^agent: the MCP server 127\.0\.0\.1:1 cannot be used: http connect failed/],
  [
    "a server that is not of this machine, in the clear",
    "http://tools.example/mcp",
    /^field url: an MCP server is called by https, or on this machine$/,
  ],
])("%s", async (_, url, error) => {
  const model = await peer("openai", [{ text: "Done." }]);
  const { ask } = await desk(agentWith("allow: [look]"), model.url, { env: { TOOLS: url } });
  expect(entryOf(await ask("/a", { q: "go" })).error).toMatch(error);
  expect(model.seen).toEqual([]);
});

test.each([
  ["nothing", 202, ""],
  ["another answer", 200, '{"jsonrpc":"2.0","id":"other","result":{}}'],
  ["no JSON", 200, "{"],
])("a server that answers with %s keeps nobody waiting", async (_, status, body) => {
  const server = kept(await stub((response) => response.writeHead(status, { "content-type": "application/json" }).end(body)));
  const model = await peer("openai", [{ text: "Done." }]);
  const { ask } = await desk(agentWith("allow: [look]"), model.url, { env: { TOOLS: server.url } });
  expect(entryOf(await ask("/a", { q: "go" })).error).toMatch(/cannot be used: .*the server has sent no answer/);
});

test.each([301, 307, 401, 404, 500])("a server that answers %i is not followed", async (status) => {
  const server = kept(
    await stub((response) => response.writeHead(status, { location: "http://127.0.0.1:1/", "content-type": "text/plain" }).end("no")),
  );
  const model = await peer("openai", [{ text: "Done." }]);
  const { ask } = await desk(agentWith("allow: [look]"), model.url, { env: { TOOLS: server.url } });
  expect(entryOf(await ask("/a", { q: "go" })).error).toMatch(/^agent: the MCP server 127\.0\.0\.1:\d+ cannot be used: /);
});
