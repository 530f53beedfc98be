import { expect, test } from "vitest";
import { WebSocketTrigger } from "#runtime/triggers/ws.ts";
import { config, enter, PIPEWRIGHT_WS_PUBLIC_CHANNELS, publish, refused, served } from "./ws-rights-service.ts";
import { connect, serving, tokenOf, withKey } from "./ws-serving.ts";

// Interfaces that decide who may do what with channels (spec/surfaces 3).

test("an authorizer decides about each channel alone, and a pattern as it is written", async () => {
  const client = await connect(await served(), `guarded?token=${tokenOf()}`);
  client.send({ ap_subscribe: ["own:1", "other", "own:#", "own:+", "#"] });
  expect(await client.next(3)).toEqual([
    { ap_subscribed: ["own:1", "own:#", "own:+"] },
    refused("subscribe", "other"),
    refused("subscribe", "#"),
  ]);
  expect(await client.ask({ ap_presence_get: { channel: "other" } })).toEqual(refused("presence_get", "other"));
  expect(await client.ask(publish("other"))).toEqual(refused("publish", "other"));
  client.send(publish("own:2"));
  expect(await client.next(2)).toEqual([
    { ap_channel: "own:2", data: 1 },
    { ap_published: ["own:2"], delivered: 1 },
  ]);
});

test("an authorizer that verifies is not taken in by a forged token, nor by an early answer", async () => {
  const client = await connect(await served(), `guarded?token=${tokenOf({}, 60, "another secret")}`);
  expect(await client.ask({ ap_subscribe: "own:1" })).toEqual(refused("subscribe", "own:1"));
  expect(await client.ask(publish("own:1"))).toEqual(refused("publish", "own:1"));
});

test("a key is asked for as others are, but not when it publishes", async () => {
  const client = await connect(await served(), "guarded", withKey);
  expect(await client.ask({ ap_subscribe: "own:1" })).toEqual(refused("subscribe", "own:1"));
  expect(await client.ask(enter("own:1"))).toEqual(refused("presence_enter", "own:1"));
  expect(await client.ask(publish("anything"))).toEqual({ ap_published: ["anything"], delivered: 1 });
});

test.each(["subscribe", "publish", "presence"])("an authorizer of a public interface may let everybody %s", async (allowed) => {
  const client = await connect(await served({ ALLOWED: allowed }), "lobby");
  const asked = [{ ap_subscribe: "lobby:1" }, publish("lobby:1"), enter("lobby:1")];
  const granted: boolean[] = [];
  for (const frame of asked) {
    granted.push((await client.ask(frame)).ap_error === undefined);
    await client.rest();
  }
  expect(granted).toEqual(["subscribe", "publish", "presence"].map((op) => op === allowed));
  expect(await client.ask({ ap_subscribe: "own:1" })).toEqual(refused("subscribe", "own:1"));
});

test("an authorizer that takes too long, is gone or fails has refused", async () => {
  const hasty = await serving(config, {
    env: { PIPEWRIGHT_WS_PUBLIC_CHANNELS },
    change: (each) => ({ ...each, protocols: [(host) => host.resource("sockets", () => new WebSocketTrigger(host, { authorizer: 100 }))] }),
  });
  const client = await connect(hasty, `guarded?token=${tokenOf()}`);
  expect(await client.ask({ ap_subscribe: "slow" })).toEqual(refused("subscribe", "slow"));
  expect(await client.ask({ ap_subscribe: "own:1" })).toEqual({ ap_subscribed: ["own:1"] });
  const gone = await serving(config, {
    env: { PIPEWRIGHT_WS_PUBLIC_CHANNELS },
    change: (each) => ({ ...each, interfaces: each.interfaces.filter(({ name }) => name !== "allow") }),
  });
  const other = await connect(gone, `guarded?token=${tokenOf()}`);
  expect(await other.ask({ ap_subscribe: "own:1" })).toEqual(refused("subscribe", "own:1"));
  const broken = await serving(config, {
    env: { PIPEWRIGHT_WS_PUBLIC_CHANNELS },
    change: (each) => ({
      ...each,
      interfaces: each.interfaces.map((target) => (target.name === "allow" ? { ...target, run: () => nothing() } : target)),
    }),
  });
  const third = await connect(broken, `guarded?token=${tokenOf()}`);
  expect(await third.ask({ ap_subscribe: "own:1" })).toEqual(refused("subscribe", "own:1"));
});

const nothing = (): never => {
  throw new Error("a bug");
};

test("answers about publishing and presence are remembered, about subscriptions not", async () => {
  const asked: string[] = [];
  const service = await serving(config, {
    env: { PIPEWRIGHT_WS_PUBLIC_CHANNELS },
    change: (each) => ({
      ...each,
      interfaces: each.interfaces.map((target) =>
        target.name === "allow" ? { ...target, run: (cx) => void asked.push(String((cx.body as { op: string }).op)) } : target,
      ),
    }),
  });
  const client = await connect(service, `guarded?token=${tokenOf()}`);
  for (let i = 0; i < 3; i++) {
    await client.ask(publish("a"));
    await client.ask(enter("a"));
    await client.ask({ ap_presence_get: { channel: "a" } });
  }
  expect(asked).toEqual(["publish", "presence"]);
  for (let i = 0; i < 3; i++) await client.ask({ ap_subscribe: "b" });
  expect(asked.slice(2)).toEqual(["subscribe", "subscribe", "subscribe"]);
});

test("nobody is asked about more channels of one frame than a connection may have", async () => {
  const service = await serving(`
name: many
interfaces:
  live: { ws: "on", subscribe_authorizer: allow, actions: [] }
  allow: { log: { msg: asked }, actions: [] }
`);
  const names = Array.from({ length: 1_019 }, (_, n) => `c:${n}`);
  const client = await connect(service, "live", withKey);
  expect(await client.ask({ ap_subscribe: names })).toEqual({ ap_subscribed: names.slice(0, 1_000) });
  expect(await client.rest()).toEqual(names.slice(1_000).map((channel) => ({ ap_error: "limit_subscriptions", op: "subscribe", channel })));
  expect(service.log.filter(({ msg }) => msg === "asked")).toHaveLength(1_000);
});

const policies: readonly (readonly [string, string, readonly boolean[]])[] = [
  ["addresses that it lets in", "source: socket, ip: { allow: [127.0.0.0/8] }", [true, true, true]],
  ["addresses that it turns away", "source: socket, ip: { allow: [10.0.0.0/8] }", [false, false, false]],
  ["a limit", "source: socket, rate_limit: { requests: 2, window: 1h }", [true, true, false]],
];

test.each(policies)("the network policy of an authorizer is decided before it is asked: %s", async (_, policy, granted) => {
  const service = await serving(`
name: policies
interfaces:
  feed: { ws: "on", public: true, subscribe_authorizer: allow, network: { inherit: false }, actions: [] }
  allow: { network: { ${policy} }, log: { msg: asked }, actions: [] }
`);
  const client = await connect(service, "feed");
  const frames = [{ ap_subscribe: "c" }, publish("c"), enter("c")];
  for (const [n, frame] of frames.entries()) {
    expect((await client.ask(frame)).ap_error).toBe(granted[n] === true ? undefined : "forbidden");
    await client.rest();
  }
  expect(service.log.filter(({ msg }) => msg === "asked")).toHaveLength(granted.filter(Boolean).length);
});
