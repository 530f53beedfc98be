import mqtt from "mqtt";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import type { JsonObject } from "#runtime/value/json.ts";
import { send } from "../../harness/sockets.ts";
import { alarm, until } from "../../harness/until.ts";
import { durable } from "../store/run-stores.ts";
import { json, type Node, servicesOf } from "./nodes.ts";

// Durable runs of triggers besides HTTP and schedules (spec/surfaces 14): stored runs survive their process, and a client that still
// listens gets the outcome.

const actions = `
    actions:
      - { name: Work, http: { method: POST, url: "a|env::UPSTREAM|/work", body: a|body|, idempotency: {} } }
      - { name: Done, run_when_succeeded: [Work], http: { method: POST, url: "a|env::UPSTREAM|/done", body: a|body| } }`;

const waits = `
    actions:
      - { name: Wait, wait_for_callback: { token: "a|body::token|", timeout: 1d } }
      - { name: Done, run_when_succeeded: [Wait], http: { method: POST, url: "a|env::UPSTREAM|/done", body: a|Wait::body| } }`;

const config = `
name: things
interfaces:
  frame:
    ws: reply
    public: true
    durable: true${actions}
  message:
    mqtt: reading
    public: true
    durable: true${actions}
  tool:
    mcp: { enabled: true }
    durable: true${actions}
  frame_waits:
    ws: reply
    public: true${waits}
  message_waits:
    mqtt: wait
    public: true${waits}
  tool_waits:
    mcp: { enabled: true }${waits}
`;

/** The client that has begun a run, and the messages that have come back. */
interface Listener {
  readonly got: readonly string[];
  readonly close: () => unknown;
}

async function frame({ url }: Node, name: string, body: JsonObject): Promise<Listener> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/ws/local/production/${name}`);
  const got: string[] = [];
  socket.on("message", (data) => void got.push(String(data)));
  socket.on("error", () => undefined);
  await new Promise((resolve) => socket.once("open", resolve));
  socket.send(JSON.stringify(body));
  return { got, close: () => socket.terminate() };
}

async function message({ url }: Node, topic: string, body: JsonObject, qos: 1 | 2 = 1): Promise<Listener> {
  const client = await mqtt.connectAsync(`${url.replace("http", "ws")}/mqtt`, { protocolVersion: 5, reconnectPeriod: 0 });
  client.on("error", () => undefined);
  await client.publishAsync(`production/${topic}`, JSON.stringify(body), { qos });
  return { got: [], close: () => client.endAsync(true) };
}

/** A call of MCP as a client of the older era makes it. */
async function tool({ url }: Node, name: string, body: JsonObject): Promise<Listener> {
  const got: string[] = [];
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: body } };
  const sent = json(call);
  void send(url, "/mcp", { ...sent, headers: { ...sent.headers, accept: "application/json, text/event-stream" } }).then(
    ({ text }) => got.push(text),
    () => undefined,
  );
  return { got, close: () => undefined };
}

const triggers = [
  ["ws", frame, "frame", "frame_waits"],
  ["mqtt", message, "message/reading", "message_waits/wait"],
  ["mcp", tool, "tool", "tool_waits"],
] as const;

describe.each(durable)("$name", ({ open }) => {
  const given = servicesOf(config, open);
  const asked = (...paths: readonly string[]): Promise<void> =>
    until(() => expect(given.nodes.asked.map(({ path }) => path)).toEqual(paths));
  const runs = () => given.nodes.runs.list({});

  test.each(triggers)("%s: a run goes on in another process", { timeout: 2 * alarm }, async (_, begin, name) => {
    const one = await given.nodes.node("printed");
    const listener = await begin(one, name, { n: 7 });
    await asked("/work");
    await one.signal("SIGKILL");
    await listener.close();
    await given.nodes.node("walked");
    await asked("/work", "/work");
    const [before, after] = given.nodes.asked.map(({ headers }) => headers["idempotency-key"]);
    expect(after).toBe(before);
    given.nodes.answer(1);
    await asked("/work", "/work", "/done");
    expect(JSON.parse(given.nodes.asked[2]?.body ?? "")).toEqual({ n: 7 });
    given.nodes.answer(2);
    await until(async () => expect(await runs()).toMatchObject([{ status: "done", epoch: 2 }]));
  });

  test.each([1, 2] as const)(
    "mqtt, QoS %i: what was acknowledged is stored when its process is killed",
    { timeout: 2 * alarm },
    async (qos) => {
      const one = await given.nodes.node("printed");
      const clients = [7, 8, 9].map((n) => message(one, "message/reading", { n }, qos));
      await Promise.all(clients);
      await one.signal("SIGKILL");
      expect(await runs()).toHaveLength(3);
      await given.nodes.node("walked");
      const bodies = () =>
        new Set(given.nodes.asked.filter(({ headers }) => headers["idempotency-key"] !== undefined).map(({ body }) => body));
      await until(() => expect(bodies()).toEqual(new Set(['{"n":7}', '{"n":8}', '{"n":9}'])));
      for (const client of clients) await (await client).close();
    },
  );

  test.each(triggers)("%s: whoever listens gets the outcome, once it is stored", { timeout: 2 * alarm }, async (kind, begin, name) => {
    const one = await given.nodes.node("walked");
    const listener = await begin(one, name, { n: 7 });
    await asked("/work");
    given.nodes.answer(0);
    await asked("/work", "/done");
    given.nodes.answer(1);
    if (kind !== "mqtt") await until(() => expect(listener.got.join()).toContain("Work"));
    await until(async () => expect(await runs()).toMatchObject([{ status: "done", epoch: 1 }]));
    expect(listener.got).toHaveLength(kind === "mqtt" ? 0 : 1);
    await listener.close();
  });

  test.each(triggers)("%s: a run that waits says so, and goes on in any process", { timeout: 2 * alarm }, async (kind, begin, _, name) => {
    const one = await given.nodes.node("printed");
    const token = "a token of thirty letters or so";
    const listener = await begin(one, name, { token });
    await until(async () => expect(await runs()).toMatchObject([{ status: "waiting" }]));
    if (kind !== "mqtt") await until(() => expect(listener.got.join()).toMatch(/accepted.{2,6}true/));
    await listener.close();
    await one.signal("SIGKILL");
    const two = await given.nodes.node("walked");
    expect((await send(two.url, `/_pipewright/callback/${encodeURIComponent(token)}`, json({ yes: true }))).status).toBe(202);
    await asked("/done");
    expect(JSON.parse(given.nodes.asked[0]?.body ?? "")).toEqual({ yes: true });
    given.nodes.answer(0);
    await until(async () => expect(await runs()).toMatchObject([{ status: "done" }]));
  });
});
