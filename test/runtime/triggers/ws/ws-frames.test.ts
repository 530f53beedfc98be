import { expect, test } from "vitest";
import { send } from "../../../harness/sockets.ts";
import { connect, key, serving, withKey } from "./ws-serving.ts";

// Every frame of spec/surfaces 3, over a real connection.

const config = `
name: frames
interfaces:
  live: { ws: "on", actions: [{ name: A, input: a|body| }] }
  seen: { ws: 1, actions: [{ name: A, json_output: { body: a|body|, raw: a|raw_body|, params: a|params|, path: a|request::path|, trigger: a|request::trigger|, key: "a|headers::x-api-key|", client: "a|ip::client|" } }] }
  slow: { ws: "on", actions: [{ name: Wait, delay: "a|body::ms|" }, { name: A, run_when_succeeded: [Wait], input: "a|body::n|" }] }
  quiet: { ws: "on", output: none, actions: [{ name: A, input: a|body| }] }
  silent: { ws: "on", silence: true, actions: [{ name: A, input: a|body| }] }
  text: { ws: "on", response: { custom_body: "hello a|body::name|", headers: { content-type: text/plain } }, actions: [] }
  dual: { ws: "on", output: http, method: POST, params: { n: { validate: { regex: "^[0-9]+$" }, error_message: n is a number } }, actions: [{ name: A, input: a|request::trigger| }] }
  any: { ws: "on", response: { custom_body: a|body::v| }, actions: [] }
  deep/er: { ws: "on", actions: [{ name: A, json_output: 1 }] }
  fails: { ws: "on", actions: [{ name: A, input: a|body|, assert: { tests: [{ value: n, is_not_null: true }], error_message: no n } }] }
  early: { ws: "on", respond: early, actions: [{ name: A, input: a|body| }] }
`;

const open = async (path = "live", env = {}) => {
  const service = await serving(config, { env });
  return { ...service, client: await connect(service, path, withKey) };
};

test("subscribe, publish, unsubscribe", async () => {
  const { client } = await open();
  expect(await client.ask({ ap_subscribe: "room:1" })).toEqual({ ap_subscribed: ["room:1"] });
  expect(await client.ask({ ap_subscribe: ["room:1", "room:2", "room:2"] })).toEqual({ ap_subscribed: ["room:1", "room:2"] });
  expect(await client.ask({ ap_subscribe: [] })).toEqual({ ap_subscribed: [] });
  client.send({ ap_publish: { channels: ["room:1", "room:9"], data: { n: 1 } } });
  expect(await client.next(2)).toEqual([
    { ap_channel: "room:1", data: { n: 1 } },
    { ap_published: ["room:1", "room:9"], delivered: 2 },
  ]);
  expect(await client.ask({ ap_unsubscribe: ["room:1", "never"] })).toEqual({ ap_unsubscribed: ["room:1"] });
  expect(await client.ask({ ap_publish: { channels: "room:1", data: null } })).toEqual({ ap_published: ["room:1"], delivered: 1 });
});

test.each([125, 126, 65_535, 65_536])("a frame with %i bytes of text arrives whole, as an answer and as a message", async (length) => {
  const { client } = await open();
  const overhead = JSON.stringify({ ap_pong: "é" }).length;
  const said = `${"x".repeat(length - overhead - 1)}é`;
  expect(await client.ask({ ap_ping: said })).toEqual({ ap_pong: said });
  await client.ask({ ap_subscribe: "c" });
  const data = `${"x".repeat(length - JSON.stringify({ ap_channel: "c", data: "é" }).length - 1)}é`;
  client.send({ ap_publish: { channels: "c", data } });
  expect(await client.one()).toEqual({ ap_channel: "c", data });
});

test("wildcards hear of a message once", async () => {
  const { client } = await open();
  await client.ask({ ap_subscribe: ["a:+", "a:#", "a:b", "a/+"] });
  client.send({ ap_publish: { channels: ["a:b", "a:b:c", "a", "a/b", "b"], data: 1 } });
  expect((await client.next(5)).map(({ ap_channel }) => ap_channel)).toEqual(["a:b", "a:b:c", "a", "a/b", undefined]);
});

test("what was published by one connection is heard by others, in order", async () => {
  const { client, url } = await open();
  const other = await connect({ url }, "seen", withKey);
  await other.ask({ ap_subscribe: "n" });
  for (let n = 0; n < 500; n++) client.send({ ap_publish: { channels: "n", data: n } });
  expect((await other.next(500)).map(({ data }) => data)).toEqual(Array.from({ length: 500 }, (_, n) => n));
});

test("a retained message is sent to those who come later, and can be taken back", async () => {
  const { client, url } = await open();
  await client.ask({ ap_publish: { channels: "state", data: { on: true }, retain: true } });
  const other = await connect({ url }, "live", withKey);
  other.send({ ap_subscribe: ["state", "else"] }, { ap_subscribe: "#" });
  const retained = { ap_channel: "state", data: { on: true }, ap_retained: true };
  expect(await other.next(4)).toEqual([{ ap_subscribed: ["state", "else"] }, retained, { ap_subscribed: ["#"] }, retained]);
  await client.ask({ ap_publish: { channels: "state", data: null, retain: true } });
  expect(await other.one()).toEqual({ ap_channel: "state", data: null });
  const third = await connect({ url }, "live", withKey);
  await third.ask({ ap_subscribe: "state" });
  expect(await third.rest()).toEqual([]);
});

test("history comes oldest first, and what is retained only if it was not among it", async () => {
  const { client, url } = await open("live", { PIPEWRIGHT_WS_HISTORY_MAX: "3" });
  await client.ask({ ap_publish: { channels: "c", data: "kept", retain: true } });
  for (const data of [1, 2]) await client.ask({ ap_publish: { channels: "c", data } });
  const past = (data: unknown) => ({ ap_channel: "c", data, ap_history: true });
  const other = await connect({ url }, "live", withKey);
  other.send({ ap_subscribe: "c", history: 2 });
  expect(await other.next(4)).toEqual([{ ap_subscribed: ["c"] }, past(1), past(2), { ap_channel: "c", data: "kept", ap_retained: true }]);
  other.send({ ap_subscribe: "c", history: 9 });
  expect(await other.next(4)).toEqual([{ ap_subscribed: ["c"] }, past("kept"), past(1), past(2)]);
  await client.ask({ ap_publish: { channels: "c", data: 3 } });
  await other.one();
  other.send({ ap_subscribe: "c", history: 9 });
  expect((await other.next(5)).slice(1).map(({ data }) => data)).toEqual([1, 2, 3, "kept"]);
});

test("without a depth of history it is ignored", async () => {
  const { client } = await open();
  await client.ask({ ap_publish: { channels: "c", data: 1 } });
  expect(await client.ask({ ap_subscribe: "c", history: 5 })).toEqual({ ap_subscribed: ["c"] });
  expect(await client.rest()).toEqual([]);
});

test("presence: who comes, changes, goes and is cut off is told of", async () => {
  const { client, url } = await open();
  await client.ask({ ap_subscribe: "room" });
  const [ann, bob] = [await connect({ url }, "live", withKey), await connect({ url }, "live", withKey)];
  const event = (action: string, id: string, state: unknown = null) => ({ ap_channel: "room", data: { $presence: { action, id, state } } });
  expect(await bob.ask({ ap_presence_enter: { channel: "room", id: "bob", state: { typing: false } } })).toEqual({
    ap_presence_entered: { channel: "room", id: "bob" },
  });
  await ann.ask({ ap_presence_enter: { channel: "room", id: "ann" } });
  await bob.ask({ ap_presence_enter: { channel: "room", id: "bob", state: { typing: true } } });
  expect(await client.next(3)).toEqual([
    event("enter", "bob", { typing: false }),
    event("enter", "ann"),
    event("update", "bob", { typing: true }),
  ]);
  expect(await client.ask({ ap_presence_get: { channel: "room" } })).toEqual({
    ap_presence: {
      channel: "room",
      members: [
        { id: "ann", state: null },
        { id: "bob", state: { typing: true } },
      ],
    },
  });
  expect(await ann.ask({ ap_presence_leave: { channel: "room" } })).toEqual({ ap_presence_left: { channel: "room" } });
  bob.socket.close();
  expect(await client.next(2)).toEqual([event("leave", "ann"), event("leave", "bob", { typing: true })]);
  expect(await client.ask({ ap_presence_get: { channel: "room" } })).toEqual({ ap_presence: { channel: "room", members: [] } });
});

test("a ping is answered", async () => {
  const { client } = await open();
  expect(await client.ask({ ap_ping: { at: [1, null] } })).toEqual({ ap_pong: { at: [1, null] } });
});

test.each([false, true])("any other JSON runs the interface; interpreted: %s", async (interpret) => {
  const client = await connect(await serving(config, { interpret }), "live", withKey);
  const answer = (data: unknown) => ({ data: { A: { data, "time.ms": expect.any(Number) } } });
  expect(await client.ask({ n: 1 })).toEqual(answer({ n: 1 }));
  expect(await client.ask({ n: 1, ap_id: 7 })).toEqual({ ...answer({ n: 1 }), ap_id: 7 });
  expect(await client.ask("[1, 2]")).toEqual(answer([1, 2]));
  expect(await client.ask('"text"')).toEqual(answer("text"));
  expect(await client.ask("null")).toEqual(answer(null));
});

test.each<[unknown, object]>([
  [null, { data: null }],
  ["5", { data: "5" }],
  ["12345678901234567890", { data: "12345678901234567890" }],
  ['{"ap_id": 4}', { data: '{"ap_id": 4}' }],
  ["null", { data: "null" }],
  [5, { data: 5 }],
  [{ a: 1, ap_id: 4 }, { a: 1 }],
])("an answer keeps its type beside ap_id: %j", async (v, expected) => {
  const { client } = await open("any");
  expect(await client.ask({ v, ap_id: 7 })).toEqual({ ...expected, ap_id: 7 });
});

test("a run sees the frame and the request that has opened the connection", async () => {
  const { url } = await open();
  const client = await connect({ url }, `seen?room=a%20b&api_key=${withKey.headers?.["x-api-key"]}`, withKey);
  const { data } = await client.ask('{"b": 2, "ap_id": "x"}');
  expect(data).toMatchObject({
    A: {
      data: {
        body: { b: 2 },
        raw: '{"b": 2, "ap_id": "x"}',
        params: { room: "a b" },
        path: "/ws/acme/staging/seen",
        trigger: "ws",
        client: "127.0.0.1",
      },
    },
  });
});

test("a name may have slashes, and a failure is a reply, too", async () => {
  const { url } = await open();
  const client = await connect({ url }, "deep/er", withKey);
  expect(await client.ask({})).toMatchObject({ data: { A: { data: 1 } } });
  const failing = await connect({ url }, "fails", withKey);
  expect(await failing.ask({ ap_id: null })).toMatchObject({ data: { A: { error: "no n" } }, ap_id: null });
});

test("an interface may be called over HTTP, too, and parameters are those of the address", async () => {
  const service = await serving(config);
  expect(JSON.parse((await send(service.url, "/dual?n=1", { method: "POST" })).text)).toMatchObject({ data: { A: { data: "http" } } });
  const [right, wrong] = [await connect(service, "dual?n=1", withKey), await connect(service, "dual?n=x", withKey)];
  expect(await right.ask({})).toMatchObject({ data: { A: { data: "ws" } } });
  expect(await wrong.ask({ ap_id: 1 })).toEqual({ data: {}, errors: ["n is a number"], ap_id: 1 });
});

test("runs of one connection follow each other", async () => {
  const { client } = await open("slow");
  client.send({ ms: 200, n: 1 }, { ms: 1, n: 2 }, { ap_ping: 3 });
  const [first, ...others] = await client.next(3);
  expect(first).toEqual({ ap_pong: 3 });
  expect(others.map((each) => (each as { data: { A: { data: number } } }).data.A.data)).toEqual([1, 2]);
});

test("what waits is bounded", async () => {
  const { client } = await open("slow");
  for (let n = 0; n < 67; n++) client.send({ ms: n === 0 ? 600 : 0, n, ap_id: n });
  const refused = await client.next(2);
  expect(refused).toEqual([65, 66].map((n) => ({ ap_error: "rate_limited", op: "run", ap_id: n })));
  expect((await client.next(65)).map(({ ap_id }) => ap_id)).toEqual(Array.from({ length: 65 }, (_, n) => n));
});

test("an interface without output answers nothing, a silent one no more than the id", async () => {
  const { url } = await open();
  const quiet = await connect({ url }, "quiet", withKey);
  quiet.send({ ap_id: 1 }, {});
  expect(await quiet.rest()).toEqual([]);
  const silent = await connect({ url }, "silent", withKey);
  silent.send({}, { ap_id: 1 });
  expect(await silent.rest()).toEqual([{ ap_id: 1 }]);
});

test("a reply that is no object becomes the data of one that has an id", async () => {
  const { url } = await open();
  const client = await connect({ url }, "text", withKey);
  expect(await client.ask({ name: "Ann", ap_id: 1 })).toEqual({ data: "hello Ann", ap_id: 1 });
});

test("an early answer comes before the run", async () => {
  const { url } = await open();
  const client = await connect({ url }, "early", withKey);
  expect(await client.ask({})).toEqual({ accepted: true, request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
});

test("a run whose time is up is an error of the service", async () => {
  const service = await serving(config, { limits: { runTimeoutMs: 20 } });
  const client = await connect(service, "slow", withKey);
  expect(await client.ask({ ms: 5_000, n: 1, ap_id: 1 })).toEqual({ error: "timeout", ap_id: 1 });
  expect(await client.ask({ ms: 0, n: 2 })).toMatchObject({ data: { A: { data: 2 } } });
});

test("the first sub-protocol that a client offers is chosen, else browsers would close the connection", async () => {
  const { url } = await serving(config, { env: { PIPEWRIGHT_API_KEYS: key } });
  const socket = new WebSocket(`${url.replace("http", "ws")}/ws/acme/staging/live?api_key=${key}`, ["json", "other"]);
  const { promise, resolve } = Promise.withResolvers<string>();
  socket.addEventListener("open", () => resolve(socket.protocol));
  socket.addEventListener("error", () => resolve("refused"));
  expect(await promise).toBe("json");
  socket.close();
});
