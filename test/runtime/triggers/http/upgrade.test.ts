import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { networkPolicy } from "#runtime/network/policy.ts";
import { networkRules } from "#runtime/network/rules.ts";
import { createHost } from "#runtime/process/host.ts";
import type { Config, Interface, Target } from "#runtime/run/interface.ts";
import { refusals } from "#runtime/run/refusals.ts";
import type { Upgrade } from "#runtime/triggers/http/upgrade-request.ts";
import { HttpServer } from "#runtime/triggers/http-server.ts";
import type { Protocol } from "#runtime/triggers/protocol.ts";
import { speaksOurVersion } from "#runtime/triggers/websocket.ts";
import { configOf, send, sendRaw } from "../../../harness/sockets.ts";
import { forgedToken } from "../../keys/token-text.ts";

// How a request leaves HTTP (spec/surfaces 3 and 10), with a protocol that says what it was given and closes.

const key = "key-of-the-organisation";
const second = "another-key-of-the-organisation";

const now = 1_700_000_000_000;
const token = forgedToken({ sub: "u1", exp: now / 1_000 + 60 });
const ended = forgedToken({ sub: "u1", exp: now / 1_000 });

const listening: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(listening.splice(0).map((each) => each.drain(0, 0)));
});

/** Tells what it is given as JSON, below a status line of its own. */
function telling(events: string[]): Protocol<Config, Target> {
  const take = (upgrade: Upgrade): void => {
    const { message, path, params, credential, socket, id } = upgrade;
    if (credential === undefined) upgrade.refuse(refusals.unauthorized);
    else if (!speaksOurVersion(message)) upgrade.refuse(refusals.upgradeRequired);
    else socket.end(`HTTP/1.1 101 Taken\r\n\r\n${JSON.stringify({ path, params, credential, id: id.length })}`);
  };
  let paths = new Map<string, Interface>();
  let config: Config = configOf();
  return {
    missing: async () => [],
    serve: (configs) => {
      [config = configOf()] = configs;
      paths = new Map(config.interfaces.map((each) => [`/ws/acme/staging/${each.name}`, each]));
      events.push(`serve ${[...paths.keys()].join()}`);
    },
    at: (path) => {
      const target = paths.get(path);
      return target === undefined ? undefined : { of: { config, interface: target }, take };
    },
    end: async () => void events.push("end"),
  };
}

const none: Interface = { name: "feed", output: "none", run() {} };
const closed: Interface = {
  ...none,
  name: "closed",
  network: networkPolicy({ interface: networkRules({ ip: { deny: ["127.0.0.1"] } }) }),
};
const slow: Interface = {
  ...none,
  name: "slow",
  output: "http",
  http: { method: "GET", route: "slow" },
  run: (cx) => cx.after(new Promise((resolve) => setTimeout(resolve, 100))),
};
const ordinary: Interface = { ...none, name: "page", output: "http", http: { method: "GET", route: "page" } };

async function serving(
  queryKeys = true,
): Promise<{ readonly url: string; readonly trigger: HttpServer; readonly events: string[]; readonly config: Config }> {
  const events: string[] = [];
  const host = createHost({ organisation: "acme", environment: "staging", env: {}, clock: now });
  const protocol = telling(events);
  const config: Config = { ...configOf(none, closed, ordinary, slow), protocols: [() => protocol] };
  const trigger = new HttpServer({ host, configs: [config], unmet: async () => [], keys: [key, second], queryKeys });
  listening.push(trigger);
  return { url: await trigger.listen("127.0.0.1", 0), trigger, events, config };
}

const asking = (path: string, headers: readonly string[] = [], method = "GET"): string =>
  [
    `${method} ${path} HTTP/1.1`,
    "host: a",
    "connection: Upgrade",
    "upgrade: websocket",
    "sec-websocket-version: 13",
    "sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==",
    ...headers,
    "",
    "",
  ].join("\r\n");

const statusOf = (text: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]);
const bodyOf = (text: string) => JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4));

const feed = "/ws/acme/staging/feed";

test("a request that asks for nothing else is told to", async () => {
  const { url } = await serving();
  const got = await send(url, feed);
  expect([got.status, got.headers.upgrade, got.headers.connection, got.text]).toEqual([
    426,
    "websocket",
    "upgrade, close",
    '{"error":"upgrade_required"}',
  ]);
  expect((await send(url, feed, { method: "POST", body: "{}" })).headers.allow).toBe("GET");
  expect((await send(url, feed, { method: "POST", body: "{}" })).status).toBe(405);
});

test("what is not there is not found, whatever is asked for", async () => {
  const { url } = await serving();
  for (const path of ["/ws/acme/staging/other", "/ws/acme/production/feed", "/ws/other/staging/feed", "/ws", "/ws/acme/staging/feed/"]) {
    const got = await sendRaw(url, asking(path, ["connection: close"]));
    expect([path, statusOf(got), bodyOf(got)]).toEqual([path, 404, { error: "not_found" }]);
  }
});

test("an ordinary route ignores the wish", async () => {
  const { url } = await serving();
  expect(statusOf(await sendRaw(url, asking("/page", ["connection: close"])))).toBe(200);
  const other = asking("/page", ["connection: close"]).replace("upgrade: websocket", "upgrade: h2c");
  expect(statusOf(await sendRaw(url, other))).toBe(200);
  expect(statusOf(await sendRaw(url, asking(feed, ["connection: close"]).replace("upgrade: websocket", "upgrade: h2c")))).toBe(426);
});

test("HTTP/1.0 has no other protocols (RFC 9110, 7.8)", async () => {
  const { url } = await serving();
  expect(statusOf(await sendRaw(url, asking(feed).replace("HTTP/1.1", "HTTP/1.0")))).toBe(426);
});

test("the policy of the interface comes before credentials, and before what it speaks", async () => {
  const { url } = await serving();
  const got = await sendRaw(url, asking("/ws/acme/staging/closed"));
  expect([statusOf(got), bodyOf(got)]).toEqual([403, { error: "forbidden" }]);
  expect((await send(url, "/ws/acme/staging/closed")).status).toBe(403);
  expect((await send(url, "/ws/acme/staging/closed", { method: "POST" })).status).toBe(403);
});

const shown: readonly [what: string, query: string, headers: readonly string[], credential: object | undefined][] = [
  ["nothing", "", [], { hasKey: false }],
  ["a key as Bearer", "", [`authorization: Bearer ${key}`], { hasKey: true }],
  ["the second key", "", [`x-api-key: ${second}`], { hasKey: true }],
  ["a key in the query", `?api_key=${key}`, [], { hasKey: true }],
  ["a wrong key", "", ["x-api-key: wrong-key-of-the-organisation"], undefined],
  ["an empty key", "", ["x-api-key:"], undefined],
  ["a wrong key in the query", "?api_key=wrong", [], undefined],
  ["a key twice", `?api_key=${key}&api_key=${key}`, [], undefined],
  ["a right key and a wrong one", `?api_key=${key}`, ["x-api-key: wrong"], undefined],
  ["a token as Bearer", "", [`authorization: Bearer ${token}`], { hasKey: false, token, expires: now + 60_000 }],
  ["a token in the query", `?token=${token}`, [], { hasKey: false, token, expires: now + 60_000 }],
  ["a token in its header", "", [`airpipe-jwt: Bearer ${token}`], { hasKey: false, token, expires: now + 60_000 }],
  ["a token without end", `?token=${forgedToken({})}`, [], { hasKey: false, token: forgedToken({}) }],
  ["a token that has ended", `?token=${ended}`, [], undefined],
  ["a token whose end is no number", `?token=${forgedToken({ exp: "never" })}`, [], undefined],
  ["what is no token", "?token=abc", [], undefined],
  ["a key where a token belongs", `?token=${key}`, [], undefined],
  ["two tokens", `?token=${token}`, [`airpipe-jwt: ${forgedToken({})}`], undefined],
  ["a key and a token", `?token=${token}`, [`x-api-key: ${key}`], { hasKey: true, token, expires: now + 60_000 }],
  ["a Bearer that is neither", "", ["authorization: Bearer what else"], undefined],
  ["credentials of another kind", "", ["authorization: Basic YTpi"], { hasKey: false }],
];
test.each(shown)("credentials: %s", async (_, query, headers, credential) => {
  const { url } = await serving();
  const got = await sendRaw(url, asking(feed + query, headers));
  if (credential === undefined) expect([statusOf(got), got]).toEqual([401, expect.stringMatching(/www-authenticate: Bearer/i)]);
  else expect(bodyOf(got).credential).toEqual(credential);
});

test("parameters of the query are handed over without its secrets", async () => {
  const { url } = await serving();
  const got = await sendRaw(url, asking(`${feed}?room=a%20b&api_key=${key}&token=${token}&__proto__=x&room=c`));
  expect(bodyOf(got)).toEqual({
    path: feed,
    params: JSON.parse('{"room": ["a b", "c"], "__proto__": "x"}'),
    credential: { hasKey: true, token, expires: now + 60_000 },
    id: 36,
  });
  expect(statusOf(await sendRaw(url, asking(`${feed}?room=%ff`)))).toBe(400);
});

test("a key in the query can be forbidden", async () => {
  const { url } = await serving(false);
  expect(statusOf(await sendRaw(url, asking(`${feed}?api_key=${key}`)))).toBe(401);
  expect(statusOf(await sendRaw(url, asking(feed, [`x-api-key: ${key}`])))).toBe(101);
});

test("an upgrade behind a request that has no answer yet ends the connection", async () => {
  const { url } = await serving();
  const got = await sendRaw(url, `GET /slow HTTP/1.1\r\nhost: a\r\n\r\n${asking(feed)}`);
  expect(got).not.toContain("HTTP/1.1 101");
  // One after the other is fine.
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  const answer = async (request: string): Promise<string> => {
    socket.write(request);
    const [chunk] = await once(socket, "data");
    return String(chunk).slice(0, 12);
  };
  expect([await answer("GET /page HTTP/1.1\r\nhost: a\r\n\r\n"), await answer(asking(feed))]).toEqual(["HTTP/1.1 200", "HTTP/1.1 101"]);
  socket.destroy();
});

test("a protocol is told what it serves, and of the end", async () => {
  const { trigger, events, url, config } = await serving();
  const served = `serve ${["feed", "closed", "page", "slow"].map((name) => `/ws/acme/staging/${name}`).join()}`;
  expect(events).toEqual([served]);
  trigger.replace([config], undefined);
  trigger.replace([configOf(ordinary)], undefined);
  expect(events).toEqual([served, served, "serve "]);
  expect((await send(url, feed)).status).toBe(404);
  trigger.replace([config], undefined);
  await trigger.drain(0, 0);
  expect(events.at(-1)).toBe("end");
});
