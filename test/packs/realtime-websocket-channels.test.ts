import { expect, test } from "vitest";
import { send } from "../harness/sockets.ts";
import { connect, serving, statusOf } from "../runtime/triggers/ws/ws-serving.ts";
import { packFile, packNames } from "./packs.ts";

// The calls of the README of realtime-websocket-channels: a token that the pack itself has made, a room, presence, and what a backend
// publishes.

const pack = "realtime-websocket-channels";

const post = (url: string, path: string, body: object) =>
  send(url, path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

test.skipIf(!packNames().includes(pack)).each([false, true])("the pack; interpreted: %s", async (interpret) => {
  const service = await serving(packFile(pack, "channels.yml"), {
    interpret,
    variables: { JWT_SECRET: "a secret of the pack that is long enough" },
    env: { PIPEWRIGHT_WS_PUBLIC_CHANNELS: "scores:#", PIPEWRIGHT_WS_HISTORY_MAX: "20" },
  });
  const login = JSON.parse((await post(service.url, "/login", { username: "alice", password: "demo-password" })).text);
  const live = `live?token=${login.data.Mint.data.token}`;
  const alice = await connect(service, live);
  expect(await alice.ask({ ap_subscribe: ["room:42"], history: 20 })).toEqual({ ap_subscribed: ["room:42"] });
  alice.send({ ap_presence_enter: { channel: "room:42", id: "alice", state: { typing: false } } });
  expect(await alice.next(2)).toEqual([
    { ap_channel: "room:42", data: { $presence: { action: "enter", id: "alice", state: { typing: false } } } },
    { ap_presence_entered: { channel: "room:42", id: "alice" } },
  ]);
  const message = { message: "hello everyone" };
  const published = await post(service.url, "/publish", { channels: ["room:42", "scores:live"], retain: true, data: message });
  expect(JSON.parse(published.text)).toMatchObject({ data: { Broadcast: { data: { published: ["room:42", "scores:live"] } } } });
  expect(await alice.one()).toEqual({ ap_channel: "room:42", data: message });
  expect(await alice.ask({ any: "frame" })).toMatchObject({ data: { Ping: { data: { any: "frame" } } } });

  const late = await connect(service, live);
  late.send({ ap_subscribe: ["room:42"], history: 20 });
  expect(await late.next(2)).toEqual([{ ap_subscribed: ["room:42"] }, { ap_channel: "room:42", data: message, ap_history: true }]);

  const nobody = await connect(service, "public-feed");
  nobody.send({ ap_subscribe: ["scores:live", "room:42"] });
  expect(await nobody.next(3)).toEqual([
    { ap_subscribed: ["scores:live"] },
    { ap_error: "forbidden", op: "subscribe", channel: "room:42" },
    { ap_channel: "scores:live", data: message, ap_retained: true },
  ]);
  expect(await statusOf(service, "live")).toBe(401);
});
