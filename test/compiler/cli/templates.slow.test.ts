import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { afterEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { load } from "../../../compiler/7-link/load.ts";
import { templates } from "../../../compiler/cli/init/templates.ts";
import { planPaths } from "../../../compiler/cli/project.ts";
import { printAll } from "../../../compiler/pipeline.ts";
import { modelPeer } from "../../harness/peers/model-peer.ts";
import { stub } from "../../harness/sockets.ts";
import { templateProject } from "../../harness/template-project.ts";
import { run } from "../../harness/terminal.ts";

// Each project that `init --template` writes: nothing to report, builds, and does what its README says.

type Project = Awaited<ReturnType<typeof templateProject>>;
const made: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const each of made.splice(0).reverse()) await each.close();
});

async function project(name: string): Promise<Project> {
  const written = await templateProject(name, name === "fastify" ? ["fastify"] : []);
  made.push({ close: written.remove });
  return written;
}

/** Serves the project; `settings` take the place of what `development.env` names. */
async function served(folder: string, variables: Record<string, string | number> = {}, settings: Record<string, string> = {}) {
  const { serve, configs } = await load(await printAll(planPaths(["."], folder)), { root: folder });
  const running = await serve(configs, {
    ...{ port: 0, address: "127.0.0.1", environment: "development", noticeMs: 0, log: () => undefined },
    ...{ variables, env: settings },
  });
  made.push(running);
  return running.url;
}

async function ask(url: string, method: string, body?: string, headers: Record<string, string> = {}): Promise<readonly unknown[]> {
  const json = body === undefined ? {} : { "content-type": "application/json" };
  const answer = await fetch(url, { method, headers: { ...json, ...headers }, ...(body === undefined ? {} : { body }) });
  const text = await answer.text();
  return [answer.status, text === "" ? text : JSON.parse(text)];
}

test.each(Object.keys(templates))("%s has nothing to report, and builds", async (name) => {
  const { folder } = await project(name);
  const checked = await run(folder, "check", ".", "--strict", "--types");
  expect(checked).toEqual({ status: 0, out: "1 config checked, nothing to report\n", err: expect.any(String) });
  expect(await run(folder, "generate", ".", "--check")).toMatchObject({ status: 0 });
  const least = ["http-sqlite", "postgres-crud"].includes(name) ? "100" : "70";
  expect(await run(folder, "test", ".", "--coverage", "--min", least)).toMatchObject({ status: 0 });
  const env = name === "fastify" ? "development" : "production";
  expect(await run(folder, "build", ".", "--env", env, "--no-executable")).toMatchObject({ status: 0 });
});

test("the webhook answers who has signed, and passes on to all", async () => {
  const { folder } = await project("webhook");
  const told: string[] = [];
  const other = await stub((response, request, body) => {
    told.push(`${request.url} ${body}`);
    response.end();
  });
  made.push(other);
  const url = await served(folder, {}, { WEBHOOK_SECRET: "s", ORDERS_URL: other.url, CHAT_URL: `${other.url}/chat` });
  const body = '{"id": "evt_1", "kind": "order.paid", "order": {"number": 7}}';
  const signed = { "x-signature": `sha256=${createHmac("sha256", "s").update(body).digest("hex")}` };
  expect(await ask(`${url}/events`, "POST", body, { "x-signature": "sha256=00" })).toMatchObject([401, {}]);
  expect(await ask(`${url}/events`, "POST", '{"id": "evt_1"}', signed)).toMatchObject([422, {}]);
  expect(told).toEqual([]);
  expect(await ask(`${url}/events`, "POST", body, signed)).toMatchObject([202, { accepted: true }]);
  await expect.poll(() => told.toSorted()).toEqual(['/chat {"text":"paid: order 7"}', `/events ${JSON.stringify(JSON.parse(body))}`]);
});

test("the poller tells of each item once", async () => {
  const { folder } = await project("poller");
  const told: string[] = [];
  const other = await stub((response, request, body) => {
    if (request.method === "POST") told.push(body);
    const items = [1, 2].map((id) => ({ id, title: `release ${id}` }));
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ items }));
  });
  made.push(other);
  const url = await served(folder, {}, { FEED_URL: `${other.url}/feed.json`, CHAT_URL: `${other.url}/chat` });
  expect(await ask(`${url}/releases`, "POST")).toEqual([200, { new: 2 }]);
  expect(told.toSorted()).toEqual(['{"text":"new: release 1"}', '{"text":"new: release 2"}']);
  expect(await ask(`${url}/releases`, "POST")).toEqual([200, { new: 0 }]);
  expect(told).toHaveLength(2);
});

test("the chat tells all who listen, and serves its page", async () => {
  const { folder } = await project("realtime");
  const url = await served(folder, { ENVIRONMENT: "development" });
  const page = await fetch(url);
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  const address = /location\.host \+ "([^"]+)"/.exec(await page.text())?.[1] ?? "";
  const socket = new WebSocket(`${url.replace("http", "ws")}${address}`);
  const heard: Record<string, unknown>[] = [];
  socket.on("message", (data) => heard.push(JSON.parse(String(data))));
  made.push({ close: () => socket.terminate() });
  await new Promise((opens, fails) => socket.on("open", opens).on("error", fails));
  socket.send('{"ap_subscribe": "room:lobby"}');
  socket.send('{"room": "lobby", "name": "ann", "text": "hello"}');
  await expect.poll(() => heard).toContainEqual({ ap_channel: "room:lobby", data: { name: "ann", text: "hello", at: expect.any(String) } });
});

test("the tools find what they have opened", async () => {
  const { folder } = await project("mcp-tools");
  const url = await served(folder, { DATABASE_URL: `sqlite:${join(folder, "tickets.db")}` });
  const call = async (name: string, args: object): Promise<unknown> => {
    const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
    const [, answer] = await ask(`${url}/mcp`, "POST", JSON.stringify(request));
    return (answer as { result: { structuredContent?: unknown; isError?: boolean } }).result; // JSON-RPC says so
  };
  expect(await call("open_ticket", { title: "The printer is on fire", urgency: 3 })).toMatchObject({
    structuredContent: { id: 1, urgency: 3 },
  });
  expect(await call("find_tickets", { words: "Printer" })).toMatchObject({ structuredContent: { tickets: [{ id: 1 }] } });
  expect(await call("open_ticket", { title: "", urgency: 9 })).toMatchObject({ isError: true });
  expect(await call("close_ticket", { id: 1 })).toMatchObject({ structuredContent: { id: 1 } });
  expect(await call("close_ticket", { id: 1 })).toMatchObject({ isError: true });
});

test("the agent asks the model that its variables name, and its tools", async () => {
  const { folder } = await project("agent");
  const model = await modelPeer("openai", [
    { calls: [{ name: "find_product", args: { name: "hammer" } }] },
    { text: "There are seven." },
    { text: "Hammers." },
  ]);
  try {
    const url = await served(folder, { MODEL_URL: model.url, MODEL_NAME: "m" });
    const question = (text: string): string => JSON.stringify({ question: text, session: "ann" });
    const [status, answer] = await ask(`${url}/ask`, "POST", question("How many hammers are there?"));
    expect([status, answer]).toMatchObject([200, { answer: "There are seven.", tools: [{ name: "find_product", ok: true }] }]);
    await ask(`${url}/ask`, "POST", question("What did I ask?"));
    expect(JSON.stringify(model.asked()[2]?.messages)).toContain("How many hammers are there?");
  } finally {
    await model.close();
  }
});

test("plain greets", async () => {
  const { folder } = await project("plain");
  expect(await ask(`${await served(folder)}/hello/you`, "GET")).toEqual([200, { text: "Hello, you!" }]);
});

test("postgres-crud names no variable that development.env lacks", async () => {
  const { folder } = await project("postgres-crud");
  const { needs } = (await load(await printAll(planPaths(["."], folder)), { root: folder })).configs[0] ?? { needs: { env: [] } };
  expect(Object.keys(parseEnv(readFileSync(join(folder, "development.env"), "utf8"))).sort()).toEqual([...needs.env].sort());
});
