import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serve } from "#runtime/process/server.ts";
import type { Json } from "#runtime/value/json.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { evaluate } from "../../harness/evaluate.ts";
import { type Got, send } from "../../harness/sockets.ts";
import { asJson, call, closeAll, modern, modernMeta, path, post, rpc, running, startDesk, started, told, url } from "./mcp-desk.ts";

// Requests of MCP that are refused, and how the others become runs (spec/surfaces 6).

afterAll(closeAll);

beforeAll(startDesk);

// The table of checks, in its order.
describe("a request is refused", () => {
  const cases: readonly (readonly [name: string, got: () => Promise<Got>, status: number, code?: number])[] = [
    ["from the page of another origin", () => post(rpc("ping"), { origin: "https://evil.example" }), 403],
    ["from a page without origin", () => post(rpc("ping"), { origin: "null" }), 403],
    ["by a name that is pointed at loopback", () => post(rpc("ping"), { host: "evil.example" }), 403],
    ["with another type", () => post(rpc("ping"), { "content-type": "text/plain" }), 415],
    ["when it is too large", () => post(" ".repeat(10_485_761)), 413],
    ["when it is no JSON", () => post("{bad"), 400, -32700],
    ["when it is nested too deeply", () => post(`${"[".repeat(129)}${"]".repeat(129)}`), 400, -32700],
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
    [
      "whose versions differ, that of the header unknown",
      () => modern("no/such", {}, { "mcp-protocol-version": "1999-01-01" }),
      400,
      -32020,
    ],
    [
      "whose versions differ, that of _meta unknown",
      () =>
        post(rpc("ping", { _meta: { "io.modelcontextprotocol/protocolVersion": "1999-01-01" } }), { "mcp-protocol-version": "2025-11-25" }),
      400,
      -32020,
    ],
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

  test("without a word of the parser, however wrong its parameters are", async () => {
    const wrong: readonly (object | undefined)[] = [
      ...[[1], null, "x"].map((args) => ({ name: "words", arguments: args })),
      ...[{}, { name: 5 }, undefined],
    ];
    for (const params of wrong) {
      const older = await post(rpc("tools/call", params));
      expect(told(older).error).toEqual({ code: -32602, message: "Invalid params" });
    }
    const newer = await modern("tools/call", { name: "words", arguments: [1] }, { "mcp-name": "words" });
    expect(told(newer).error).toEqual({ code: -32602, message: "Invalid params" });
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

// The handler of the library answers a call whose header has another spelling, and none of its objects a call with a plain one.
test("a newer call is answered alike, however its header spells the name of the tool", async () => {
  const calls: readonly (readonly [name: string, args: Json, headers?: Record<string, string>])[] = [
    ["words", {}],
    ["list", {}],
    ["picture", {}],
    ["silent", { a: 1 }],
    ["closed", {}],
    ["ticket_open", { title: "x", desk: "d", n: 1 }],
    ["ticket_open", {}],
    ["sized", { region: "eu" }, { "mcp-param-region": "us" }],
    ["words", [1]],
    ["nobody", {}],
  ];
  for (const [name, args, headers = {}] of calls) {
    const ask = async (spelled: string): Promise<unknown> => {
      const answer = await modern("tools/call", { name, arguments: args }, { "mcp-name": spelled, ...headers });
      return [name, answer.status, answer.headers["content-type"], answer.text.replaceAll(/time\.ms\\?":\d+/g, "time")];
    };
    expect(await ask(name)).toEqual(await ask(`=?base64?${Buffer.from(name).toString("base64")}?=`));
  }
});

test("a newer notification is taken, and answered by nothing", async () => {
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "words" };
  const answer = await post({ jsonrpc: "2.0", method: "tools/call", params: { name: "words", _meta: modernMeta } }, headers);
  expect([answer.status, answer.text]).toEqual([202, ""]);
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

test("data never become content of MCP, whoever has sent them", async () => {
  const other = await started(`
name: data
interfaces:
  echo: { mcp: { enabled: true }, response: { custom_body: "a|A|" }, actions: [{ name: A, input: a|body| }] }
`);
  const sent = { $mcp: { content: [{ type: "resource_link", uri: "http://evil.example/", name: "n" }] } };
  const got = await send(other, path, { method: "POST", headers: asJson, body: JSON.stringify(call("echo", sent)) });
  expect(told(got).result).toEqual({ content: [{ type: "text", text: JSON.stringify(sent) }], structuredContent: sent, isError: false });
});

test("a configuration may take its content from a template", async () => {
  const other = await started(`
name: templates
global: { templates: { picture: '{"$mcp": {"content": [{"type": "text", "text": a|body::text|}]}}' } }
interfaces:
  show: { mcp: { enabled: true }, response: { custom_body: "a|template::picture|" }, actions: [{ name: A, input: a|body| }] }
`);
  const got = await send(other, path, { method: "POST", headers: asJson, body: JSON.stringify(call("show", { text: "hi" })) });
  expect(told(got).result).toEqual({ content: [{ type: "text", text: "hi" }], isError: false });
});

test.each([false, true])("arguments with names of a prototype are arguments like others; of a newer client: %s", async (isModern) => {
  const args = '{"__proto__":{"admin":true},"constructor":1,"a":{"__proto__":2}}';
  const params = { name: "restart.now", arguments: "ARGS", ...(isModern ? { _meta: modernMeta } : {}) };
  const sent = JSON.stringify(rpc("tools/call", params)).replace('"ARGS"', args);
  const head = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "restart.now" };
  const got = await post(sent, isModern ? head : {}, "/mcp/ops");
  expect(told(got).result.content[0].text).toContain(`"data":${args}`);
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

test("a closed schema of the body leaves the parameters of the route to the arguments", async () => {
  const at = await started(`
name: users
interfaces:
  put:
    method: PUT
    route: /users/:id
    mcp: { enabled: true }
    accepts: { enforce: true, schema: { type: object, additionalProperties: false, required: [n], properties: { n: { type: string } } } }
    actions: [{ name: Put, json_output: { id: a|params::id|, body: a|body|, raw: a|raw_body| } }]
    response: { custom_body: a|Put| }
`);
  const ask = (message: object): Promise<Got> => send(at, path, { method: "POST", headers: asJson, body: JSON.stringify(message) });
  expect(told(await ask(rpc("tools/list"))).result.tools[0].inputSchema).toEqual({
    type: "object",
    additionalProperties: false,
    properties: { n: { type: "string" }, id: { type: "string" } },
    required: ["n", "id"],
  });
  const put = told(await ask(call("put", { id: "5", n: "x" }))).result.structuredContent;
  expect(put).toEqual({ id: "5", body: { n: "x" }, raw: '{"n":"x"}' });
  expect(told(await ask(call("put", { id: "5", n: "x", more: 1 }))).result.isError).toBe(true);
});
