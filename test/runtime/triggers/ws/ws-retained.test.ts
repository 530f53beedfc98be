import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LocalBus } from "#runtime/bus/local-bus.ts";
import { SqliteKept } from "#runtime/bus/sqlite-kept.ts";
import { createHost } from "#runtime/process/host.ts";
import { Channels } from "#runtime/realtime/channels.ts";
import { sqliteOf } from "#runtime/store/open-sqlite.ts";
import { send, textIn } from "../../../harness/sockets.ts";
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

/** The messages of all channels, as a client gets them that subscribes now. */
async function kept(service: Serving): Promise<readonly unknown[]> {
  const client = await connect(service, "live", withKey);
  await client.ask({ ap_subscribe: "#" });
  return (await client.rest()).map(({ ap_channel, data }) => [ap_channel, data]);
}

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
  expect(said[0]).toMatch(/^bus: kept messages cannot be read: /);
  expect(said[1]).toMatch(/^bus: retained messages cannot be written, and will be tried again: /);
  // Until then no further message is a reason to ask it again.
  expect(said).toHaveLength(2);
});

/** A file of kept messages, written by way of a bus that `publish` belongs to. */
function stored(file: string) {
  const log: string[] = [];
  const host = createHost({ env: {}, log: (level, msg) => void log.push(`${level} ${msg}`) });
  const kept = new SqliteKept(host, () => sqliteOf(host, file));
  const bus = new LocalBus({ store: kept });
  return { log, kept, bus, channels: new Channels({ bus }) };
}

/** The retained messages of a file. */
async function found(file: string): Promise<unknown[]> {
  const { bus, channels } = stored(file);
  await bus.join();
  const heard: unknown[] = [];
  channels.replay({ push: (frame) => void heard.push(JSON.parse(textIn(frame)).data) }, "#", 0);
  await bus.close();
  return heard;
}

test("a store that answers again gets what has changed meanwhile", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const file = join(folder, "later", "state.db");
  const { bus, channels, log } = stored(file);
  channels.publish("a", 1, true);
  await vi.advanceTimersByTimeAsync(0);
  mkdirSync(join(folder, "later"));
  channels.publish("b", 2, true);
  await vi.advanceTimersByTimeAsync(5_000);
  await bus.close();
  vi.useRealTimers();
  expect(await found(file)).toEqual([1, 2]);
  expect(log).toEqual([expect.stringContaining("warn bus: retained messages cannot be written, and will be tried again: ")]);
});

test("of a hundred thousand messages that wait for the store no further one is kept for it, but what they have changed to is", async () => {
  const file = join(folder, "state.db");
  const { bus, kept } = stored(file);
  let number = 0;
  const hear = (key: string, value: unknown, drops = false): void => {
    number += 1;
    const body = JSON.stringify([key, value]);
    kept.hear({ kind: "channel", body, keep: [{ key, drops }], position: number, number, source: "here", when: "usual" });
  };
  // All of one turn: nothing is written in between.
  for (let n = 0; n < 99_999; n++) hear(`c${n}`, null, true);
  hear("first", 1);
  hear("late", 2);
  hear("first", 3);
  await bus.close();
  expect(await found(file)).toEqual([3]);
});

test("what is published while it is written is written, too, and the last message of a channel counts", async () => {
  const file = join(folder, "state.db");
  const { bus, channels } = stored(file);
  for (let n = 0; n < 50; n++) {
    channels.publish(`c${n % 5}`, n, true);
    if (n % 7 === 0) await Promise.resolve();
    if (n % 11 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  channels.publish("c0", null, true);
  await bus.close();
  expect(await found(file)).toEqual([46, 47, 48, 49]);
});
