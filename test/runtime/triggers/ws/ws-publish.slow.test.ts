import { describe, expect, test } from "vitest";
import { send } from "../../../harness/sockets.ts";
import { connect, serving, tokenOf, withKey } from "./ws-serving.ts";

// The messages of the action ws_publish, and the clients that they reach (spec/surfaces 15).

const config = `
name: publish
interfaces:
  live: { ws: "on", actions: [{ name: Tell, ws_publish: { channels: a|body::to|, data: { from: a|body::from| } } }] }
  publish: { method: POST, actions: [{ name: Tell, ws_publish: { channels: a|body::channels|, data: a|body::data|, retain: a|body::retain| } }] }
  body: { method: POST, actions: [{ name: Tell, ws_publish: { channels: all } }] }
  clear: { method: POST, actions: [{ name: Tell, ws_publish: { channels: "room:1", data: null, retain: true } }] }
`;

const post = (url: string, path: string, body: unknown) =>
  send(url, path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

test.each([false, true])("a message of a run is heard, and kept when it says so; interpreted: %s", async (interpret) => {
  const service = await serving(config, { interpret });
  const client = await connect(service, "live", withKey);
  await client.ask({ ap_subscribe: ["room:+", "all"] });
  const answer = await post(service.url, "/publish", { channels: ["room:1", "room:2"], data: { n: 1 }, retain: "true" });
  expect(JSON.parse(answer.text)).toMatchObject({ data: { Tell: { data: { published: ["room:1", "room:2"] } } } });
  expect(await client.next(2)).toEqual([1, 2].map((n) => ({ ap_channel: `room:${n}`, data: { n: 1 } })));
  await post(service.url, "/body", { whole: true });
  expect(await client.one()).toEqual({ ap_channel: "all", data: { whole: true } });
  expect(await client.ask({ ap_subscribe: "room:2" })).toEqual({ ap_subscribed: ["room:2"] });
  expect(await client.one()).toEqual({ ap_channel: "room:2", data: { n: 1 }, ap_retained: true });
  await post(service.url, "/publish", { channels: "room:2", data: null, retain: true });
  expect(await client.one()).toEqual({ ap_channel: "room:2", data: null });
  await post(service.url, "/clear", { whole: true });
  expect(await client.one()).toEqual({ ap_channel: "room:1", data: null });
  client.send({ ap_subscribe: ["room:1", "room:2"] });
  expect(await client.rest()).toEqual([{ ap_subscribed: ["room:1", "room:2"] }]);
});

describe.each([
  ["sockets", 'live: { ws: "on", actions: [] }'],
  ["ws_publish", "tell: { method: POST, actions: [{ name: Tell, ws_publish: { channels: all } }] }"],
  [
    "stream",
    "tell: { method: POST, stream: { from: A, channel: all }, actions: [{ name: A, http: { url: https://llm.example, stream: true } }] }",
  ],
])("nodes share channels by PostgreSQL alone: one with %s", (_, written) => {
  const alone = `name: alone\ninterfaces: { ${written} }`;

  test.each([false, true])("does not start beside others without it; interpreted: %s", async (interpret) => {
    for (const PIPEWRIGHT_DATABASE_URL of ["", "sqlite:state.db"])
      await expect(serving(alone, { interpret, env: { PIPEWRIGHT_CLUSTERED: "true", PIPEWRIGHT_DATABASE_URL } })).rejects.toThrow(
        "PIPEWRIGHT_CLUSTERED=true: nodes share channels and MQTT by PostgreSQL alone; set PIPEWRIGHT_DATABASE_URL to postgres://",
      );
  });

  test("starts alone", async () => {
    await serving(alone, { env: { PIPEWRIGHT_CLUSTERED: "false" } });
  });
});

test("what was subscribed to before a frame is heard of", async () => {
  const client = await connect(await serving(config), "live", withKey);
  client.send({ ap_subscribe: "me" }, { to: "me", from: "me", ap_id: 1 });
  expect(await client.next(3)).toEqual([
    { ap_subscribed: ["me"] },
    { ap_channel: "me", data: { from: "me" } },
    expect.objectContaining({ ap_id: 1 }),
  ]);
});

test("a frame may tell others, whatever its own client may publish", async () => {
  const service = await serving(config);
  const [sender, listener] = [await connect(service, `live?token=${tokenOf()}`), await connect(service, "live", withKey)];
  await listener.ask({ ap_subscribe: "team" });
  expect(await sender.ask({ to: "team", from: "ann" })).toMatchObject({ data: { Tell: { data: { published: ["team"] } } } });
  expect(await listener.one()).toEqual({ ap_channel: "team", data: { from: "ann" } });
});
