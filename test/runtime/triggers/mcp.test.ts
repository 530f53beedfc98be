import { readFileSync } from "node:fs";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { product } from "#runtime/process/product.ts";
import type { Json } from "#runtime/value/json.ts";
import { send } from "../../harness/sockets.ts";
import { asJson, call, closeAll, modern, path, post, rpc, startDesk, started, told, url } from "./mcp-desk.ts";

// Tools of MCP over HTTP (spec/surfaces 6): with the client of the library in both eras, and each line of the table of checks.

const many = `
name: many
interfaces:
${Array.from({ length: 205 }, (_, i) => `  t${String(i).padStart(3, "0")}: { mcp: { enabled: true }, actions: [] }`).join("\n")}
`;

afterAll(closeAll);

beforeAll(startDesk);

describe.each([
  ["2025-11-25", "legacy"],
  ["2026-07-28", { pin: "2026-07-28" }],
] as const)("the client of the library speaks %s", (version, mode) => {
  const connected = async (token?: string, to = path): Promise<Client> => {
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(to, url), { requestInit: { headers } }));
    return client;
  };

  test("to a server with a name, a title and instructions", async () => {
    const client = await connected();
    expect(client.getServerVersion()).toMatchObject({ name: "front", title: "Service desk", version: product.version });
    expect(client.getInstructions()).toBe("Look before you write.");
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    await client.close();
  });

  test("lists tools by name, those that it may see", async () => {
    const names = async (token?: string): Promise<string[]> => {
      const client = await connected(token);
      const { tools } = await client.listTools();
      await client.close();
      return tools.map(({ name }) => name);
    };
    const open = ["closed", "list", "picture", "silent", "sized", "slow", "ticket_open", "words"];
    expect(await names()).toEqual(open);
    expect(await names("bad")).toEqual(open);
    expect(await names("good")).toEqual([...open, "secret", "vault"].sort());
  });

  test("calls a tool, and sees what its run gives", async () => {
    const client = await connected("good");
    const args = { title: "Printer", desk: "it", n: 5, list: [1] };
    const { structuredContent, content, isError } = await client.callTool({ name: "ticket_open", arguments: args });
    const seen = {
      desk: "it",
      n: "5",
      list: null,
      trigger: "mcp",
      path: "/mcp",
      host: null,
      key: null,
      jwt: "good",
      raw: JSON.stringify(args),
      ip: "127.0.0.1",
    };
    expect(structuredContent).toMatchObject({ data: { Ticket: { data: args }, Seen: { data: seen } } });
    expect(content).toMatchObject([{ type: "text", text: JSON.stringify(structuredContent) }]);
    expect(isError).toBe(false);
    expect(await client.callTool({ name: "ticket_open" })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("a title is required") }],
    });
    await expect(client.callTool({ name: "restart.now" })).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });

  test("joins a named server at its own path", async () => {
    const client = await connected(undefined, "/local/production/mcp/ops");
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["restart.now"]);
    expect(client.getServerVersion()?.name).toBe("ops");
    await client.close();
  });
});

test("the version is that of the package", () => {
  expect(JSON.parse(readFileSync("package.json", "utf8"))).toMatchObject(product);
});

test.each([
  ["words", { content: [{ type: "text", text: "plain words" }], isError: false }],
  ["list", { content: [{ type: "text", text: "[1, 2]" }], isError: false }],
  [
    "picture",
    {
      content: [
        { type: "image", data: "aGk=", mimeType: "image/png" },
        { type: "text", text: "two" },
      ],
      isError: false,
    },
  ],
  ["silent", { content: [], isError: false }],
  ["closed", { content: [{ type: "text", text: '{"no":"entry"}' }], structuredContent: { no: "entry" }, isError: true }],
] as const)("the result of %s", async (name, result) => {
  expect(told(await post(call(name)))).toEqual({ jsonrpc: "2.0", id: 1, result });
});

test("newer clients get any JSON as structured content", async () => {
  const answer = told(await modern("tools/call", { name: "list" }, { "mcp-name": "list" }));
  expect(answer.result).toMatchObject({ resultType: "complete", structuredContent: [1, 2] });
});

test("a list has pages, and says how long it may be kept", async () => {
  const other = await started(many);
  const names: string[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const got = await send(other, path, {
      method: "POST",
      headers: asJson,
      body: JSON.stringify(rpc("tools/list", cursor === undefined ? {} : { cursor })),
    });
    const { tools, nextCursor } = told(got).result;
    names.push(...tools.map(({ name }: { name: string }) => name));
    cursor = nextCursor;
    pages += 1;
  } while (cursor !== undefined);
  expect([pages, names.length, new Set(names).size]).toEqual([3, 205, 205]);
  expect(told(await post(rpc("tools/list", { cursor: "no cursor" }))).error.code).toBe(-32602);
  expect(told(await modern("tools/list")).result).toMatchObject({ resultType: "complete", ttlMs: 0, cacheScope: "private" });
});

test("server/discover names all versions", async () => {
  const { result } = told(await modern("server/discover"));
  expect(result).toMatchObject({
    supportedVersions: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"],
    capabilities: { tools: {} },
    ttlMs: 60_000,
    cacheScope: "public",
  });
  expect(result._meta["io.modelcontextprotocol/serverInfo"]).toEqual({ name: "front", title: "Service desk", version: product.version });
});

test("initialize takes a version that is spoken, else the newest of its era", async () => {
  const begin = async (protocolVersion: string): Promise<Json> =>
    told(await post(rpc("initialize", { protocolVersion, capabilities: {}, clientInfo: { name: "c", version: "1" } }))).result
      .protocolVersion;
  expect(await begin("2025-03-26")).toBe("2025-03-26");
  // The library knows more versions than are spoken here.
  for (const other of ["2024-11-05", "1999-01-01", "2026-07-28"]) expect(await begin(other)).toBe("2025-11-25");
  expect(told(await post(rpc("initialize", {}))).error.code).toBe(-32602);
  expect(told(await post(rpc("ping"))).result).toEqual({});
});
