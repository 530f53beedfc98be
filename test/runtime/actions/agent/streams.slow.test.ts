import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { type Stub, stub } from "../../../harness/sockets.ts";
import { dataOf, desk, kept, peer } from "./desk.ts";
import { agentWith, olderServer, plain, toolTexts } from "./older-server.ts";

// Answers of MCP servers in streams that break off, and what the library of the client would print (spec/surfaces 15.1).

/** A server whose answer to `tools/call` comes in a stream that goes on after `breaks` others, and then stays open. */
async function breaking(breaks: number): Promise<Stub> {
  let count = 0;
  let call: Json = null;
  const event = (id: number, data = ""): string => `id: e-${id}\nretry: 1\ndata: ${data}\n\n`;
  const result = (id: Json): string => JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "at last" }] } });
  const older = await olderServer([plain("look")], () => ({}));
  return kept(
    await stub((response, { method = "", headers }, body) => {
      const asked = body === "" ? {} : (JSON.parse(body) as JsonObject); // the library sends JSON
      if (asked.method === "tools/call") call = asked.id ?? null;
      else if (method !== "GET" || headers["last-event-id"] === undefined) {
        const sent = method === "GET" || method === "DELETE" ? {} : { body };
        const init = { method, ...sent, headers: { "content-type": "application/json" } };
        void fetch(older.url, init).then(async (got) => {
          response.writeHead(got.status, { "content-type": got.headers.get("content-type") ?? "text/plain" }).end(await got.text());
        });
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      if (count++ < breaks) response.end(event(count));
      else response.write(event(count) + event(count + 1, result(call)));
    }),
  );
}

describe("a stream that breaks off", () => {
  test("goes on in another one, which may stay open", async () => {
    const server = await breaking(3);
    const model = await peer("openai", [{ calls: [{ name: "look", args: {} }] }, { text: "Done." }]);
    const { ask } = await desk(agentWith("allow: [look]"), model.url, { env: { TOOLS: server.url } });
    expect(dataOf(await ask("/a", { q: "go" }))).toMatchObject({ text: "Done.", tool_calls: [{ ok: true }] });
    expect(toolTexts(model.asked()[1])).toEqual(["at last"]);
    expect(server.seen.flatMap(({ headers }) => headers["last-event-id"] ?? [])).toEqual(["e-1", "e-2", "e-3"]);
  });

  test("but not endlessly", async () => {
    const server = await breaking(1000);
    const model = await peer("openai", [{ calls: [{ name: "look", args: {} }] }, { text: "Done." }]);
    const { ask } = await desk(agentWith("allow: [look]"), model.url, { env: { TOOLS: server.url } });
    expect(dataOf(await ask("/a", { q: "go" }))).toMatchObject({ text: "Done.", tool_calls: [{ ok: false }] });
    expect(server.seen.filter(({ headers }) => headers["last-event-id"] !== undefined)).toHaveLength(50);
  });
});

test("a server without tools offers none, and says nothing on standard output", async () => {
  const said: unknown[] = [];
  const { debug } = console;
  console.debug = (...words: unknown[]) => void said.push(words);
  const server = kept(
    await stub((response, { method = "" }, body) => {
      const { id } = method === "POST" ? JSON.parse(body) : {};
      if (id === undefined) response.writeHead(202).end();
      else {
        const result = { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "old", version: "1" } };
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, result }));
      }
    }),
  );
  try {
    const model = await peer("openai", [{ text: "Done." }]);
    const { ask } = await desk(agentWith('allow: ["*"]'), model.url, { env: { TOOLS: server.url } });
    expect(dataOf(await ask("/a", { q: "go" }))).toMatchObject({ text: "Done." });
  } finally {
    console.debug = debug;
  }
  expect(said).toEqual([]);
});
