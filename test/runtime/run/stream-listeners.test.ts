import { afterEach, describe, expect, test } from "vitest";
import { channelsOf } from "#runtime/realtime/channels.ts";
import type { JsonObject } from "#runtime/value/json.ts";
import { send, stub, textIn } from "../../harness/sockets.ts";
import { brokerOf } from "../triggers/mqtt/mqtt-serving.ts";
import { connect, serving, withKey } from "../triggers/ws/ws-serving.ts";
import { config, ending, endScenes, scene, texts, type, until } from "./stream-scene.ts";

// The listeners of the stream that an action reads: later subscribers, sockets, clients of MQTT.

afterEach(endScenes);

test("whoever subscribes later reads the history", async () => {
  const at = await scene(config("channel: chat, flush_ms: 0"), false, { PIPEWRIGHT_WS_HISTORY_MAX: "10" });
  await until(() => at.upstream.length === 1);
  at.upstream[0]?.writeHead(200, type).end(texts("a", "b"));
  await at.run.finish();
  const late: JsonObject[] = [];
  const listener = { push: (frame: Buffer) => void late.push(JSON.parse(textIn(frame))) };
  channelsOf(at.host).subscribe(listener, "chat");
  channelsOf(at.host).replay(listener, "chat", 10);
  expect(late).toEqual(at.heard.map((frame) => ({ ...frame, ap_history: true })));
  expect(late).toHaveLength(3);
});

const chat = `
name: chat
interfaces:
  live: { ws: "on" }
  ask:
    method: POST
    respond: early
    stream: { from: Ask, channel: "chat:a|body::id|", flush_ms: 0 }
    actions: [{ name: Ask, http: { url: "a|env::UPSTREAM|", stream: true } }]
`;

test.each([false, true])("an answer in advance, and pieces for every socket; interpreted: %s", async (interpret) => {
  const { url, close } = await stub((response) => void response.writeHead(200, type).end(texts("Hel", "lo")));
  ending.push(close);
  const service = await serving(chat, { interpret, env: { UPSTREAM: url } });
  const clients = [await connect(service, "live", withKey), await connect(service, "live", withKey)];
  for (const client of clients) await client.ask({ ap_subscribe: "chat:+" });
  const answer = await send(service.url, "/ask", { method: "POST", body: '{"id":7}', headers: { "content-type": "application/json" } });
  expect(answer.status).toBe(202);
  const id = JSON.parse(answer.text).request_id;
  for (const client of clients)
    expect(await client.next(3)).toEqual([
      { ap_channel: "chat:7", data: { $stream: { id, from: "Ask", seq: 0, delta: "Hel" } } },
      { ap_channel: "chat:7", data: { $stream: { id, from: "Ask", seq: 1, delta: "lo" } } },
      { ap_channel: "chat:7", data: { $stream: { id, from: "Ask", seq: 2, delta: "", done: true } } },
    ]);
});

describe("MQTT", () => {
  const interfaces = `
  ask:
    method: POST
    mqtt: in
    stream: { from: Ask, channel: [chat/1, production/ask/in], flush_ms: 0 }
    actions: [{ name: Ask, http: { url: "a|env::UPSTREAM|", stream: true } }]`;
  const text = `name: chat\ninterfaces:${interfaces}\n  live: { ws: "on" }\n`;

  test.each([false, true])("a client hears the same at the topic, which runs nothing; interpreted: %s", async (interpret) => {
    const upstream = await stub((response) => void response.writeHead(200, type).end(texts("Hi")));
    ending.push(upstream.close);
    const broker = await brokerOf(text, { UPSTREAM: upstream.url }, interpret);
    const client = await broker.connect();
    await client.mqtt.subscribeAsync(["chat/#", "production/ask/in"]);
    expect((await send(broker.served.url, "/ask", { method: "POST" })).status).toBe(200);
    await client.has(4);
    const heard = client.got.filter((line) => line.startsWith("chat/1 ")).map((line) => JSON.parse(line.slice(7, -8)));
    expect(heard).toMatchObject([{ $stream: { seq: 0, delta: "Hi" } }, { $stream: { seq: 1, done: true } }]);
    expect(upstream.seen).toHaveLength(1);
  });

  test.each([
    ["that an authorizer guards", text.replace('{ ws: "on" }', '{ ws: "on", subscribe_authorizer: ask }'), {}],
    ["that are not public", text, { PIPEWRIGHT_WS_PUBLIC_CHANNELS: "news:#" }],
  ])("not of channels %s", async (_, guarded, env) => {
    const upstream = await stub((response) => void response.writeHead(200, type).end(texts("Hi")));
    ending.push(upstream.close);
    const broker = await brokerOf(guarded, { UPSTREAM: upstream.url, ...env });
    const client = await broker.connect();
    await client.mqtt.subscribeAsync("#");
    await send(broker.served.url, "/ask", { method: "POST" });
    await client.mqtt.publishAsync("last", "", { qos: 1 });
    await client.has(1);
    expect(client.got).toHaveLength(1);
  });
});
