import { readFileSync } from "node:fs";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { product } from "#runtime/process/product.ts";
import { type Served, type ServeOptions, serve } from "#runtime/process/server.ts";
import type { Json } from "#runtime/value/json.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { evaluate } from "../../harness/evaluate.ts";
import { type Got, send } from "../../harness/sockets.ts";

// Tools of MCP over HTTP (spec/surfaces 6): with the client of the library in both eras, and each line of the table of checks.

const text = `
name: desk
mcp_servers:
  front: { title: Service desk, instructions: Look before you write., default: true }
  ops: {}
interfaces:
  ticket/open:
    route: /tickets/:desk
    method: POST
    summary: Open a ticket
    mcp: { enabled: true }
    actions:
      - name: Ticket
        input: a|body|
        assert: { http_code_on_error: 422, tests: [{ value: title, is_not_null: true, error_message: a title is required }] }
      - name: Seen
        run_when_succeeded: [Ticket]
        json_output: { desk: "a|params::desk|", n: "a|params::n|", list: "a|params::list|", trigger: "a|request::trigger|", path: "a|request::path|", host: "a|headers::host|", key: "a|headers::x-key|", jwt: "a|headers::airpipe-jwt|", raw: "a|raw_body|", ip: "a|ip::socket|" }
  words: { mcp: { enabled: true, description: Only words. }, response: { custom_body: plain words }, actions: [] }
  list: { mcp: { enabled: true }, response: { custom_body: "[1, 2]", headers: { content-type: application/json } }, actions: [] }
  picture:
    mcp: { enabled: true }
    response: { custom_body: '{"$mcp": {"content": [{"type": "image", "data": "aGk=", "mimeType": "image/png"}, {"type": "text", "text": "two"}]}}' }
    actions: []
  silent: { output: none, mcp: { enabled: true }, actions: [{ name: A, input: a|body| }] }
  closed: { mcp: { enabled: true }, network: { ip: { deny: [127.0.0.1] }, on_deny: { body: { no: entry } } }, actions: [] }
  slow: { mcp: { enabled: true }, actions: [{ name: Wait, delay: 60s }] }
  secret: { mcp: { enabled: true, list_authorizer: gate }, actions: [{ name: A, input: a|body| }] }
  vault: { mcp: { enabled: true, list_authorizer: gate }, actions: [{ name: A, input: a|body| }] }
  gate:
    actions:
      - { name: Asked, input: a|body|, assert: { tests: [{ value: tools, is_equal_to: [secret, vault] }, { value: server, is_equal_to: front }] } }
      - name: Token
        input: a|headers|
        run_when_succeeded: [Asked]
        assert: { http_code_on_error: 401, tests: [{ value: airpipe-jwt, is_equal_to: good }] }
  restart: { mcp: { enabled: true, server: ops, tool_name: restart.now }, actions: [{ name: Done, input: a|body| }] }
  untold: { actions: [] }
  sized:
    mcp: { enabled: true }
    accepts: { schema: { type: object, properties: { region: { type: string, x-mcp-header: Region }, size: { type: integer, x-mcp-header: Size }, deep: { type: object, properties: { on: { type: boolean, x-mcp-header: On } } } } } }
    actions: [{ name: Done, input: a|body| }]
  off: { mcp: { enabled: false }, actions: [] }
`;

const many = `
name: many
interfaces:
${Array.from({ length: 205 }, (_, i) => `  t${String(i).padStart(3, "0")}: { mcp: { enabled: true }, actions: [] }`).join("\n")}
`;

const running: Served[] = [];
afterAll(async () => {
  await Promise.all(running.map((each) => each.close()));
});

async function started(config: string, options: ServeOptions = {}): Promise<string> {
  const { code } = await printOne(planned(config));
  const served = await serve([await evaluate(code)], {
    port: 0,
    address: "127.0.0.1",
    log: () => undefined,
    noticeMs: 0,
    metricsBind: undefined,
    ...options,
  });
  running.push(served);
  return served.url;
}

let url = "";
beforeAll(async () => {
  url = await started(text, { env: { PIPEWRIGHT_MCP_ORIGINS: "https://desk.example, https://other.example" } });
});

const path = "/mcp";
const asJson = { "content-type": "application/json" };

/** One message; `more` are headers. */
const post = (message: object | string, more: Record<string, string> = {}, to = path): Promise<Got> =>
  send(url, to, { method: "POST", headers: { ...asJson, ...more }, body: typeof message === "string" ? message : JSON.stringify(message) });

const rpc = (method: string, params?: object, id: Json = 1): object => ({
  jsonrpc: "2.0",
  id,
  method,
  ...(params === undefined ? {} : { params }),
});
const call = (name: string, args?: object): object => rpc("tools/call", { name, ...(args === undefined ? {} : { arguments: args }) });
const told = ({ text: body }: Got) => JSON.parse(body);

const modernMeta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };
const modern = (method: string, params: object = {}, headers: Record<string, string> = {}): Promise<Got> =>
  post(rpc(method, { ...params, _meta: modernMeta }), { "mcp-protocol-version": "2026-07-28", "mcp-method": method, ...headers });

/** A call of the tool whose arguments are in headers, too. */
const sized = (args: object, headers: Record<string, string>): Promise<Got> =>
  modern("tools/call", { name: "sized", arguments: args }, { "mcp-name": "sized", ...headers });

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
  expect(await begin("1999-01-01")).toBe("2025-11-25");
  expect(told(await post(rpc("initialize", {}))).error.code).toBe(-32602);
  expect(told(await post(rpc("ping"))).result).toEqual({});
});

// The table of checks, in its order.
describe("a request is refused", () => {
  const cases: readonly (readonly [name: string, got: () => Promise<Got>, status: number, code?: number])[] = [
    ["from the page of another origin", () => post(rpc("ping"), { origin: "https://evil.example" }), 403],
    ["from a page without origin", () => post(rpc("ping"), { origin: "null" }), 403],
    ["by a name that is pointed at loopback", () => post(rpc("ping"), { host: "evil.example" }), 403],
    ["with another type", () => post(rpc("ping"), { "content-type": "text/plain" }), 415],
    ["when it is too large", () => post(" ".repeat(10_485_761)), 413],
    ["when it is no JSON", () => post("{bad"), 400, -32700],
    ["when it is empty", () => post(""), 400, -32700],
    ["as a batch", () => post([rpc("ping")]), 400, -32600],
    ["of another JSON-RPC", () => post({ jsonrpc: "1.0", id: 1, method: "ping" }), 400, -32600],
    ["without a method", () => post({ jsonrpc: "2.0", id: 1, result: {} }), 400, -32600],
    ["with the id null", () => post(rpc("ping", undefined, null)), 400, -32600],
    ["with an id that is no name", () => post(rpc("ping", undefined, { a: 1 })), 400, -32600],
    ["with parameters by place", () => post({ jsonrpc: "2.0", id: 1, method: "tools/list", params: [1] }), 400, -32600],
    ["of an unknown version", () => post(rpc("ping"), { "mcp-protocol-version": "1900-01-01" }), 400, -32022],
    ["of an unknown version in _meta", () => post(rpc("ping", { _meta: { "io.modelcontextprotocol/protocolVersion": 7 } })), 400, -32022],
    [
      "of a newer version without _meta",
      () => post(rpc("tools/list"), { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" }),
      400,
      -32602,
    ],
    ["whose versions differ", () => modern("tools/list", {}, { "mcp-protocol-version": "2025-11-25" }), 400, -32020],
    ["whose versions differ, one of them unknown", () => modern("no/such", {}, { "mcp-protocol-version": "1999-01-01" }), 400, -32020],
    ["without the header of an argument", () => sized({ region: "eu", size: 5 }, { "mcp-param-size": "5" }), 400, -32020],
    ["with another text in the header of an argument", () => sized({ region: "eu" }, { "mcp-param-region": "EU" }), 400, -32020],
    ["with another number in it", () => sized({ size: 5 }, { "mcp-param-size": "6" }), 400, -32020],
    ["with Base64 in it that is none", () => sized({ region: "eu" }, { "mcp-param-region": "=?base64?ZXU?=" }), 400, -32020],
    ["with Base64 in it of another text", () => sized({ region: "eu" }, { "mcp-param-region": "=?base64?dXM=?=" }), 400, -32020],
    ["whose method is another in the header", () => modern("tools/list", {}, { "mcp-method": "tools/call" }), 400, -32020],
    ["whose name is missing in the header", () => modern("tools/call", { name: "words" }), 400, -32020],
    ["of an unknown method, newer", () => modern("resources/list"), 404, -32601],
    ["for news that never come", () => modern("subscriptions/listen", { notifications: {} }), 404, -32601],
    ["of an unknown method", () => post(rpc("resources/list")), 200, -32601],
    ["for an unknown tool", () => post(call("nobody")), 200, -32602],
    ["for an interface that is no tool", () => post(call("untold")), 200, -32602],
    ["for a tool that is switched off", () => post(call("off")), 200, -32602],
    ["for the tool of another server", () => post(call("restart.now")), 200, -32602],
    ["for the name of a prototype", () => post(call("__proto__")), 200, -32602],
    ["with a cursor that is no text", () => post(rpc("tools/list", { cursor: 5 })), 200, -32602],
    ["with _meta that is none", () => post(rpc("tools/list", { _meta: 5 })), 200, -32602],
    ["with a token of progress that is none", () => post(rpc("ping", { _meta: { progressToken: 1.5 } })), 200, -32602],
    [
      "with a cursor that is no text, newer",
      () => post(rpc("tools/list", { cursor: 5, _meta: modernMeta }), { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" }),
      200,
      -32602,
    ],
    ["with arguments that are no object", () => post(rpc("tools/call", { name: "words", arguments: [1] })), 200, -32602],
    ["at a server that nobody declares", () => post(rpc("ping"), {}, "/mcp/nobody"), 404],
    ["in another environment", () => post(rpc("ping"), {}, "/local/staging/mcp"), 404],
  ];
  test.for(cases)("%s", async ([, got, status, code]) => {
    const answer = await got();
    expect([answer.status, code === undefined ? undefined : told(answer).error.code]).toEqual([status, code]);
  });

  test("unless the headers of its arguments are theirs", async () => {
    const taken: readonly (readonly [Json & object, Record<string, string>])[] = [
      [{}, {}],
      [{ region: null }, { "mcp-param-region": "ignored" }],
      [
        { region: "eu", size: 5, deep: { on: true } },
        { "mcp-param-region": "eu", "mcp-param-size": "5.0", "mcp-param-on": "true" },
      ],
      [{ region: "Zürich" }, { "mcp-param-region": "=?base64?WsO8cmljaA==?=" }],
    ];
    for (const [args, headers] of taken) expect((await sized(args, headers)).status).toBe(200);
    expect((await post(call("sized", { region: "eu" }))).status).toBe(200);
  });

  test("by other methods", async () => {
    for (const method of ["GET", "DELETE", "PUT"]) {
      const { status, headers } = await send(url, path, { method });
      expect([status, headers.allow]).toEqual([405, "POST"]);
    }
  });

  test("with the same words for a tool that is unknown, hidden or elsewhere", async () => {
    const messages = await Promise.all(["nobody", "off", "restart.now"].map(async (name) => told(await post(call(name))).error.message));
    expect(new Set(messages).size).toBe(1);
  });
});

test("pages of the same host and of trusted origins may ask", async () => {
  for (const origin of [url, "https://desk.example", "https://other.example"]) {
    expect((await post(rpc("ping"), { origin })).status).toBe(200);
  }
});

test("notifications are taken, and not answered", async () => {
  expect(await post({ jsonrpc: "2.0", method: "notifications/initialized" })).toMatchObject({ status: 202, text: "" });
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, _meta: modernMeta } };
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "notifications/cancelled" };
  expect(await post(cancelled, headers)).toMatchObject({ status: 202, text: "" });
});

test("the run of a call has the id of the request", async () => {
  const id = "3f0b8f0e-5e0d-4f0a-9d3c-2f1a5b6c7d8e";
  const other = await started(`
name: ids
interfaces:
  early: { mcp: { enabled: true }, respond: early, actions: [] }
  seen: { mcp: { enabled: true }, actions: [{ name: A, json_output: { id: "a|request::id|", hop: "a|headers::x-hop|", all: "a|headers::x-all|" } }] }
`);
  const headers = { ...asJson, "x-request-id": id, connection: "close, X-Hop", "x-hop": "this one", "x-all": "every one" };
  const got = (name: string) => send(other, path, { method: "POST", headers, body: JSON.stringify(call(name)) });
  const early = await got("early");
  expect(early.headers["x-request-id"]).not.toBe(id);
  expect(told(early).result.structuredContent).toEqual({ accepted: true, request_id: early.headers["x-request-id"] });
  // Headers that the client names as of its hop alone end here.
  const seen = await got("seen");
  expect(told(seen).result.structuredContent.data.A.data).toEqual({ id: seen.headers["x-request-id"], hop: null, all: "every one" });
});

test("a caller that the network policy refuses is told so, also by a tool whose outcome nobody gets", async () => {
  const other = await started(`
name: shut
interfaces:
  shut: { output: none, mcp: { enabled: true }, network: { ip: { deny: [127.0.0.1] }, on_deny: { body: { no: entry } } }, actions: [] }
`);
  const got = await send(other, path, { method: "POST", headers: asJson, body: JSON.stringify(call("shut")) });
  expect(told(got).result).toEqual({
    content: [{ type: "text", text: '{"no":"entry"}' }],
    structuredContent: { no: "entry" },
    isError: true,
  });
});

test("content that is none of MCP is a body like any other", async () => {
  const other = await started(`
name: wrong
interfaces:
  wrong: { mcp: { enabled: true }, response: { custom_body: '{"$mcp": {"content": [{"type": "smell"}]}}' }, actions: [] }
`);
  const got = await send(other, path, { method: "POST", headers: asJson, body: JSON.stringify(call("wrong")) });
  expect(told(got).result).toMatchObject({ structuredContent: { $mcp: { content: [{ type: "smell" }] } }, isError: false });
});

test.each(["2025-11-25", "2026-07-28"])("a mistake of ours is told to the log, not to a client of %s", async (version) => {
  const { code } = await printOne(planned("name: ours\ninterfaces: { broken: { mcp: { enabled: true }, actions: [] } }"));
  const config = await evaluate(code);
  const ours = (): never => {
    throw new TypeError("the secret of the house");
  };
  const network = { judge: ours, ip: ours, trusts: () => false, start: () => [] };
  const log: string[] = [];
  const served = await serve([{ ...config, interfaces: config.interfaces.map((each) => ({ ...each, network })) }], {
    ...{ port: 0, address: "127.0.0.1", noticeMs: 0, metricsBind: undefined },
    log: (level, msg, fields) => void log.push(`${level} ${msg} ${JSON.stringify(fields)}`),
  });
  running.push(served);
  const isNew = version === "2026-07-28";
  const message = isNew ? rpc("tools/call", { name: "broken", _meta: modernMeta }) : call("broken");
  const headers = { ...asJson, "mcp-protocol-version": version, ...(isNew ? { "mcp-method": "tools/call", "mcp-name": "broken" } : {}) };
  const got = await send(served.url, path, { method: "POST", headers, body: JSON.stringify(message) });
  expect(told(got).error).toEqual({ code: -32603, message: "Internal error" });
  expect(log.filter((line) => line.startsWith("critical"))).toEqual([expect.stringContaining("TypeError: the secret of the house")]);
});

test("a client that goes away ends its run", async () => {
  const gone = new AbortController();
  const sent = send(url, path, { method: "POST", headers: asJson, body: JSON.stringify(call("slow")), signal: gone.signal });
  setTimeout(() => gone.abort(), 100);
  await expect(sent).rejects.toThrow();
  // Or the end of the process would wait a minute for it.
  const [service] = running;
  const closed = performance.now();
  expect(await service?.close()).toBe(true);
  expect(performance.now() - closed).toBeLessThan(30_000);
  running.shift();
});
