import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createHost, type Host } from "#runtime/process/host.ts";
import { Channels } from "#runtime/realtime/channels.ts";
import { DurableRetained } from "#runtime/realtime/durable-retained.ts";
import { stateOf } from "#runtime/state/open.ts";
import type { Json } from "#runtime/value/json.ts";
import { send } from "../../../harness/sockets.ts";
import { connect, type Serving, serving, withKey } from "./ws-serving.ts";

// Retained messages outlive the process where its state does (spec/surfaces 3).

const config = `
name: kept
interfaces:
  live: { ws: "on", public: true, actions: [] }
  publish: { method: POST, actions: [{ name: Tell, ws_publish: { channels: a|body::channels|, data: a|body::data|, retain: true } }] }
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pipewright-test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const start = (): Promise<Serving> => serving(config, { env: { PIPEWRIGHT_DATABASE_URL: `sqlite:${join(folder, "state.db")}` } });

/** The messages of all channels that somebody gets who comes now. */
async function kept(service: Serving): Promise<readonly unknown[]> {
  const client = await connect(service, "live", withKey);
  await client.ask({ ap_subscribe: "#" });
  return (await client.rest()).map(({ ap_channel, data }) => [ap_channel, data]);
}

/** The channels that the store names. */
const listOf = async (host: Host): Promise<unknown> =>
  (await stateOf(host).get({ namespace: "ws channels local production", key: "channels" }))?.value ?? [];

test("what is retained is there again, and what was taken back is not", async () => {
  const first = await start();
  const client = await connect(first, "live", withKey);
  for (const [channel, data] of [
    ["a", 1],
    ["a", { n: 2 }],
    ["b", "x"],
    ["c", [3]],
  ] as const)
    await client.ask({ ap_publish: { channels: channel, data, retain: true } });
  const body = JSON.stringify({ channels: ["d", "b"], data: null });
  await send(first.url, "/publish", { method: "POST", headers: { "content-type": "application/json" }, body });
  await first.served.close();
  const second = await start();
  expect(new Map((await kept(second)) as [string, unknown][])).toEqual(
    new Map<string, unknown>([
      ["a", { n: 2 }],
      ["c", [3]],
    ]),
  );
  expect(second.log.filter(({ level }) => level === "warn")).toEqual([]);
});

test("processes that share the state keep their channels beside each other", async () => {
  const both = [await start(), await start()];
  await Promise.all(
    both.map(async (service, i) => {
      const client = await connect(service, "live", withKey);
      for (let n = 0; n < 20; n++) await client.ask({ ap_publish: { channels: `p${i}:${n}`, data: n, retain: true } });
    }),
  );
  await Promise.all(both.map(({ served }) => served.close()));
  expect((await kept(await start())).length).toBe(40);
});

test("a store that does not answer is said, and the process serves from its memory", async () => {
  const service = await serving(config, { env: { PIPEWRIGHT_DATABASE_URL: `sqlite:${join(folder, "none", "state.db")}` } });
  const client = await connect(service, "live", withKey);
  expect(await client.ask({ ap_publish: { channels: "a", data: 1, retain: true } })).toEqual({ ap_published: ["a"], delivered: 1 });
  for (let n = 0; n < 20; n++) await client.ask({ ap_publish: { channels: `a:${n}`, data: n, retain: true } });
  expect(await kept(service)).toHaveLength(21);
  const said = service.log.filter(({ level }) => level === "warn").map(({ msg }) => String(msg));
  expect(said[0]).toMatch(/^ws: retained messages cannot be read: /);
  expect(said[1]).toMatch(/^ws: retained messages cannot be written, and will be tried again in 5 s: /);
  // Until then no further message is a reason to ask it again.
  expect(said).toHaveLength(2);
});

test("a store that answers again gets what has changed meanwhile", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const host = createHost({ env: { PIPEWRIGHT_DATABASE_URL: `sqlite:${join(folder, "later", "state.db")}` } });
  const channels = new Channels();
  const durable = new DurableRetained(host, channels);
  channels.publish("a", 1, true);
  await durable.flush();
  mkdirSync(join(folder, "later"));
  channels.publish("b", 2, true);
  expect(await listOf(host).catch(() => "no store")).toEqual([]);
  await vi.advanceTimersByTimeAsync(5_000);
  await durable.flush();
  expect(await listOf(host)).toEqual(["a", "b"]);
  await host.close();
  vi.useRealTimers();
});

test("of a hundred thousand channels that wait for the store no further one is kept for it, but what they have changed to is", async () => {
  const host = createHost({ env: {} });
  let keep: (channel: string, data: Json) => void = () => undefined;
  const durable = new DurableRetained(host, {
    keepWith: (given) => {
      keep = given;
    },
    restore: () => undefined,
  });
  // All of one turn: nothing is written in between. What takes a message back is no name of the list.
  for (let n = 0; n < 99_999; n++) keep(`c${n}`, null);
  keep("first", 1);
  keep("late", 2);
  keep("first", 3);
  await durable.flush();
  expect(await listOf(host)).toEqual(["first"]);
  keep("late", 4);
  await durable.flush();
  expect(await listOf(host)).toEqual(["first", "late"]);
  const read: unknown[] = [];
  await new DurableRetained(host, { keepWith: () => undefined, restore: (channel, data) => void read.push([channel, data]) }).load();
  expect(read).toEqual([
    ["first", 3],
    ["late", 4],
  ]);
  await host.close();
});

test("what is published while it is written is written, too, and the last message of a channel counts", async () => {
  const host = createHost({ env: { PIPEWRIGHT_DATABASE_URL: `sqlite:${join(folder, "state.db")}` } });
  const channels = new Channels();
  const durable = new DurableRetained(host, channels);
  for (let n = 0; n < 50; n++) {
    channels.publish(`c${n % 5}`, n, true);
    if (n % 7 === 0) await Promise.resolve();
    if (n % 11 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  channels.publish("c0", null, true);
  await durable.flush();
  const found = new Channels();
  await new DurableRetained(host, found).load();
  const heard: unknown[] = [];
  found.replay({ push: (frame) => void heard.push(JSON.parse(String(frame)).data) }, "#", 0);
  expect(heard).toEqual([46, 47, 48, 49]);
  expect(await listOf(host)).toEqual(["c1", "c2", "c3", "c4"]);
  await host.close();
});
