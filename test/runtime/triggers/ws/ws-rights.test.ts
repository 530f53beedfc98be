import { generateKeyPairSync, sign } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import type { JsonObject } from "#runtime/value/json.ts";
import { sendRaw } from "../../../harness/sockets.ts";
import { tokenPart } from "../../keys/token-text.ts";
import { config, enter, PIPEWRIGHT_WS_PUBLIC_CHANNELS, publish, refused, served } from "./ws-rights-service.ts";
import { type Client, connect, key, secret, serving, statusOf, tokenOf, withKey } from "./ws-serving.ts";

// Rights on sockets: who may connect, and what they may do with channels (spec/surfaces 3).

test("who may connect", async () => {
  const service = await serving(config, { env: { PIPEWRIGHT_WS_PUBLIC_CHANNELS } });
  const valid = tokenOf();
  const forged = tokenOf({}, 60, "another secret");
  const of = (headers: Record<string, string>) => ({ headers });
  const cases: readonly [path: string, headers: Record<string, string>, status: number][] = [
    ["open", {}, 401],
    ["feed", {}, 101],
    ["feed", { "x-api-key": "wrong" }, 401],
    ["feed?api_key=wrong", {}, 401],
    ["feed?token=wrong", {}, 401],
    ["open", { "x-api-key": key }, 101],
    ["open", { authorization: `Bearer ${key}` }, 101],
    [`open?api_key=${key}`, {}, 101],
    [`open?token=${valid}`, {}, 101],
    ["open", { "airpipe-jwt": valid }, 101],
    ["open", { authorization: `Bearer ${forged}` }, 101],
    [`open?token=${tokenOf({}, -1)}`, {}, 401],
    ["nothing", { "x-api-key": key }, 404],
    ["allow", { "x-api-key": key }, 404],
  ];
  for (const [path, headers, status] of cases)
    expect([path, headers, await statusOf(service, path, of(headers))]).toEqual([path, headers, status]);
});

test("without keys none is right", async () => {
  const service = await serving(config, {
    env: { PIPEWRIGHT_WS_PUBLIC_CHANNELS },
    admin: { bind: undefined, keys: [], adminKeys: [], queryKeys: true, hosts: [] },
  });
  expect(await statusOf(service, "open", withKey)).toBe(401);
  expect(await statusOf(service, "open", { headers: { "x-api-key": "" } })).toBe(401);
});

test("only version 13 is spoken, and a handshake must be right", async () => {
  const service = await served();
  expect(await statusOf(service, "feed", { protocolVersion: 8 })).toBe(426);
  const asking = [
    "GET /ws/acme/staging/feed HTTP/1.1",
    "host: a",
    "connection: upgrade",
    "upgrade: websocket",
    "sec-websocket-version: 13",
  ];
  const got = await sendRaw(service.url, [...asking, "sec-websocket-key: short", "", ""].join("\r\n"));
  expect(got).toMatch(/^HTTP\/1.1 400 .*\{"error":"bad_request"\}$/s);
});

test("pages of other origins are refused once origins are set", async () => {
  const service = await served({ PIPEWRIGHT_WS_ORIGINS: "https://app.example" });
  expect(await statusOf(service, "feed", { origin: "https://other.example" })).toBe(403);
  expect(await statusOf(service, "feed", { origin: "https://app.example" })).toBe(101);
  expect(await statusOf(service, "feed")).toBe(101);
  expect(await statusOf(await served(), "feed", { origin: "https://other.example" })).toBe(101);
});

test("a token is a header of every run, without its Bearer", async () => {
  const service = await served();
  const token = tokenOf({ sub: "u" });
  for (const [path, headers] of [
    [`open?token=${token}`, {}],
    ["open", { authorization: `Bearer ${token}` }],
    ["open", { "airpipe-jwt": `Bearer ${token}` }],
  ] as const) {
    const client = await connect(service, path, { headers });
    expect(await client.ask({})).toMatchObject({ data: { A: { data: token } } });
  }
});

test("nobody in particular names public channels only, and is not heard or seen", async () => {
  const client = await connect(await served(), "feed");
  client.send({ ap_subscribe: ["news:a:b", "lobby:1", "own:1", "#", "+:1", "lobby:1:2", "lobby:#", "news:#", "news/a", "news"] });
  expect(await client.one()).toEqual({ ap_subscribed: ["news:a:b", "lobby:1", "news:#", "news"] });
  expect(await client.next(6)).toEqual(
    ["own:1", "#", "+:1", "lobby:1:2", "lobby:#", "news/a"].map((channel) => refused("subscribe", channel)),
  );
  expect(await client.ask(publish("news:a"))).toEqual(refused("publish", "news:a"));
  expect(await client.ask(enter("news:a"))).toEqual(refused("presence_enter", "news:a"));
  expect(await client.ask({ ap_presence_get: { channel: "news:a" } })).toEqual({ ap_presence: { channel: "news:a", members: [] } });
  expect(await client.ask({ ap_presence_get: { channel: "own:a" } })).toEqual(refused("presence_get", "own:a"));
});

test("a token that nobody has verified has the rights of nobody in particular", async () => {
  const client = await connect(await served(), `open?token=${tokenOf()}`);
  client.send({ ap_subscribe: ["news:a", "own:1"] });
  expect(await client.next(2)).toEqual([{ ap_subscribed: ["news:a"] }, refused("subscribe", "own:1")]);
  expect(await client.ask(publish("news:a"))).toEqual(refused("publish", "news:a"));
  expect(await client.ask(enter("news:a"))).toEqual(refused("presence_enter", "news:a"));
});

test("a key may do everything where nobody is asked", async () => {
  const client = await connect(await served(), "open", withKey);
  expect(await client.ask({ ap_subscribe: ["#", "own:1"] })).toEqual({ ap_subscribed: ["#", "own:1"] });
  expect(await client.ask(enter("own:1"))).toMatchObject({ ap_channel: "own:1" });
  expect(await client.one()).toMatchObject({ ap_presence_entered: {} });
});

const everything = async (client: Client) => [
  await client.ask({ ap_subscribe: "own:1" }),
  (await client.ask(publish("own:2"))).ap_published,
  (await client.ask(enter("own:3"))).ap_error,
];

test("a token that is verified at the door has rights of its own", async () => {
  const service = await served({ PIPEWRIGHT_WS_REQUIRE_JWT: secret });
  expect(await statusOf(service, `open?token=${tokenOf({}, 60, "another secret")}`)).toBe(401);
  expect(await statusOf(service, `feed?token=${tokenOf({}, 60, "another secret")}`)).toBe(401);
  expect(await statusOf(service, "feed")).toBe(101);
  const client = await connect(service, `open?token=${tokenOf()}`);
  expect(await everything(client)).toEqual([{ ap_subscribed: ["own:1"] }, ["own:2"], undefined]);
});

/** A provider of keys, and a token that one of them has signed. */
async function provider(answer: (response: ServerResponse, keys: string) => void) {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const keys = JSON.stringify({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "k", alg: "EdDSA", use: "sig" }] });
  const server = createServer((_, response) => answer(response, keys));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const text = `${tokenPart({ alg: "EdDSA", kid: "k" })}.${tokenPart({ exp: Math.floor(Date.now() / 1_000) + 60 })}`;
  const token = `${text}.${sign(null, Buffer.from(text), privateKey).toString("base64url")}`;
  const { port } = server.address() as AddressInfo;
  return { env: { PIPEWRIGHT_WS_REQUIRE_JWT: `http://127.0.0.1:${port}/jwks` }, token, close: () => server.close() };
}

test("the key that verifies it may be that of a provider", async () => {
  const { env, token, close } = await provider((response, keys) => response.end(keys));
  const service = await served(env);
  expect(await everything(await connect(service, `open?token=${token}`))).toEqual([{ ap_subscribed: ["own:1"] }, ["own:2"], undefined]);
  expect(await statusOf(service, `open?token=${tokenOf()}`)).toBe(401);
  close();
});

test("a token that is still being verified when its interface goes opens nothing, and no shutdown waits for it", async () => {
  const asked = Promise.withResolvers<() => void>();
  const { env, token, close } = await provider((response, keys) => asked.resolve(() => response.end(keys)));
  const service = await served(env);
  const connecting = statusOf(service, `open?token=${token}`);
  const answer = await asked.promise;
  const without = service.configs.map((config) => ({ ...config, interfaces: config.interfaces.filter(({ name }) => name !== "open") }));
  await service.served.replace(without, undefined);
  answer();
  expect(await connecting).toBe(404);
  expect(await service.served.close()).toBe(true);
  close();
});

/** Warnings of a start, without those about unset variables that the configuration reads. */
const weaknesses = ({ log }: { readonly log: readonly JsonObject[] }): readonly JsonObject[] =>
  log.filter(({ level, msg }) => level === "warn" && !String(msg).startsWith("unset: "));

test("what is weak keeps a process from starting, or is said", async () => {
  await expect(serving(config)).rejects.toThrow("PIPEWRIGHT_WS_PUBLIC_CHANNELS is not set");
  const alone = config.replaceAll("public: true, ", "");
  const { log } = await serving(alone);
  expect(log).toContainEqual(
    expect.objectContaining({ level: "warn", msg: expect.stringContaining("forged"), interfaces: ["feed", "open"] }),
  );
  const bounded = await serving(alone, { env: { PIPEWRIGHT_WS_PUBLIC_CHANNELS } });
  const tokens = expect.stringMatching(/^ws: clients need a token, and nothing verifies it.* set PIPEWRIGHT_WS_REQUIRE_JWT$/);
  // The authorizer of `guarded` verifies its token.
  expect(weaknesses(bounded)).toEqual([expect.objectContaining({ msg: tokens, interfaces: ["feed", "open", "lobby"] })]);
  const verified = await serving(alone, { env: { PIPEWRIGHT_WS_REQUIRE_JWT: secret } });
  expect(weaknesses(verified)).toEqual([]);
  const tested = await serving(
    'name: own\ninterfaces: { live: { ws: 1, assert: { tests: [{ value: "a|headers::airpipe-jwt|", is_valid_jwt: a|var::SECRET| }] }, actions: [{ name: A, input: a|body| }] } }',
  );
  expect(weaknesses(tested)).toEqual([]);
});

test("secrets of the query are in no log and no run", async () => {
  const service = await serving(
    "name: logs\ninterfaces: { live: { ws: 1, log: 'a|request|', actions: [{ name: A, json_output: a|request| }] } }",
    { logLevel: "trace" },
  );
  const token = tokenOf({ sub: "secret-user" });
  const client = await connect(service, `live?api_key=${key}&token=${token}&room=1`);
  const reply = JSON.stringify(await client.ask({}));
  expect(reply).toContain('"room":"1"');
  expect(reply).not.toContain(key);
  expect(reply.replaceAll(`"airpipe-jwt":"${token}"`, "")).not.toContain(token);
  await statusOf(service, `live?api_key=wrong-${key}&token=${token}`);
  const log = JSON.stringify(service.log);
  expect(log).not.toContain(key);
});
