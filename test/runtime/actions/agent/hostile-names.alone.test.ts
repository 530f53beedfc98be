import { afterEach, describe, expect, test, vi } from "vitest";
import type { Log } from "#runtime/process/host.ts";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { visibleLine } from "#runtime/value/visible.ts";
import { stub } from "../../../harness/sockets.ts";
import { desk, entryOf, kept, peer } from "./desk.ts";
import { agentWith, olderServer, plain, toolTexts } from "./older-server.ts";

// Names of a hostile server that deceive the readers of a terminal or a log (spec/surfaces 15.1). The library prints tools of the newer era
// whose `x-mcp-header` it refuses.

const bad = { type: "object", properties: { "a\n\u001b[2J": { type: "string", "x-mcp-header": "b\n\u001b[2J" } } };
const good = { type: "object", properties: { a: { type: "string", "x-mcp-header": "A" } } };
const names = ["two\nlines", "\u001b[2Jcleared", "\u009b2J", "\u202eback", "", "x".repeat(100_000), "\u001b]0;".repeat(20_000)];

/** A server of the newer era; keeps the headers of calls. */
async function newerServer(pages: readonly Json[], calls: JsonObject[] = []) {
  return kept(
    await stub((response, { method = "", headers }, body) => {
      if (method !== "POST") {
        response.writeHead(405).end();
        return;
      }
      const { id = null, method: asked, params = {} } = JSON.parse(body) as JsonObject; // the library sends JSON
      const { cursor = 0 } = params as JsonObject;
      const page = Number(cursor);
      if (asked === "tools/call") calls.push({ ...headers } as JsonObject);
      const next = page + 1 < pages.length ? { nextCursor: String(page + 1) } : {};
      const results: JsonObject = {
        "server/discover": { supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, ttlMs: 0, cacheScope: "private" },
        "tools/list": { tools: pages[page] ?? [], ttlMs: 0, cacheScope: "private", ...next },
        "tools/call": { content: [{ type: "text", text: "seen" }] },
      };
      const result = { resultType: "complete", ...((results[String(asked)] ?? {}) as JsonObject) };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    }),
  );
}

/** Everything that is printed past the log. */
const watched = (["debug", "log", "info", "warn", "error", "trace"] as const).map((name) => vi.spyOn(console, name));
const written = [vi.spyOn(process.stdout, "write"), vi.spyOn(process.stderr, "write")];
afterEach(() => {
  for (const each of [...watched, ...written]) each.mockClear();
});

function logOf() {
  const lines: string[] = [];
  const log: Log = (level, text, fields) => void lines.push(`${level} ${text} ${JSON.stringify(fields)}`);
  return { lines, log };
}

/** Nothing was printed, and no line of the log is long or holds what a terminal would obey. */
function expectHarmless(lines: readonly string[]): void {
  for (const each of [...watched, ...written]) expect(each.mock.calls).toEqual([]);
  for (const line of lines) expect(line).toBe(visibleLine(line).slice(0, 2_000));
}

const offered = (asked: JsonObject | undefined): readonly unknown[] =>
  ((asked?.tools ?? []) as JsonObject[]).map((each) => (each.function as JsonObject).name);

describe.each([
  ["newer", (tools: Json[]) => newerServer([tools])],
  ["older", (tools: Json[]) => olderServer(tools, () => ({ content: [] }))],
])("a server of the %s era", (era, serve) => {
  test.each([
    ["with schemas that are refused, too", bad],
    ["with usual schemas", { type: "object" }],
  ])("leaves tools with such names out, %s, and says so once", async (_, schema) => {
    const server = await serve([...names.map((name) => plain(name, schema)), plain("see")]);
    const model = await peer("openai", [{ text: "Done." }]);
    const { lines, log } = logOf();
    const { ask } = await desk(agentWith('allow: ["*"]'), model.url, { env: { TOOLS: server.url }, log });
    await ask("/a", { q: "go" });
    expect(offered(model.asked()[0])).toEqual(["see"]);
    expectHarmless(lines);
    const said = lines.filter((line) => line.includes("left out"));
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(/agent: tools of \S+ are left out: 'two\\u000alines': its name holds .*'\\u001b\[2Jcleared'.*; and 4 more /);
  });

  test("an x-mcp-header that cannot be one is refused where arguments are repeated", async () => {
    const server = await serve([plain("look", bad), plain("see", good)]);
    const model = await peer("openai", [{ text: "Done." }]);
    const { lines, log } = logOf();
    const { ask } = await desk(agentWith('allow: ["*"]'), model.url, { env: { TOOLS: server.url }, log });
    await ask("/a", { q: "go" });
    expect(offered(model.asked()[0])).toEqual(era === "newer" ? ["see"] : ["look", "see"]);
    expectHarmless(lines);
  });
});

test("an allowed tool whose x-mcp-header cannot be one fails the action", async () => {
  const server = await newerServer([[plain("look", bad)]]);
  const model = await peer("openai", [{ text: "Done." }]);
  const { lines, log } = logOf();
  const { ask } = await desk(agentWith("allow: [look]"), model.url, { env: { TOOLS: server.url }, log });
  const error = String(entryOf(await ask("/a", { q: "go" })).error);
  expect(error).toMatch(/^agent: the tool 'look' of \S+ cannot be used: its schema is refused: x-mcp-header: "b\\n\\u001b\[2J" cannot be/);
  expect(visibleLine(error)).toBe(error);
  expectHarmless(lines);
});

test("tools of several pages are called, with their arguments in headers", async () => {
  const calls: JsonObject[] = [];
  const server = await newerServer([[plain("look", good)], [plain("see", good)]], calls);
  const model = await peer("openai", [{ calls: [{ name: "see", args: { a: "one" } }] }, { text: "Done." }]);
  const { lines, log } = logOf();
  const { ask } = await desk(agentWith("allow: [look, see]"), model.url, { env: { TOOLS: server.url }, log });
  await ask("/a", { q: "go" });
  expect(toolTexts(model.asked()[1])).toEqual(["seen"]);
  expect(calls).toMatchObject([{ "mcp-param-a": "one" }]);
  expectHarmless(lines);
});

test.each([
  ["ends", 20, "Done."],
  ["does not end", 21, undefined],
])("a list of pages that %s", async (_, count, text) => {
  const pages = Array.from({ length: count }, (_, i) => [plain(`look${i}`)]);
  const server = await newerServer(pages);
  const model = await peer("openai", [{ text: "Done." }]);
  const { ask } = await desk(agentWith('allow: ["*"]'), model.url, { env: { TOOLS: server.url } });
  const { data, error } = entryOf(await ask("/a", { q: "go" }));
  if (text === undefined) expect(error).toMatch(/has more than 20 pages of tools$/);
  else expect(data).toMatchObject({ text });
});
