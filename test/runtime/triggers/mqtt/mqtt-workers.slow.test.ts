import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { until } from "../../../harness/until.ts";
import type { Running } from "../../bus/services.ts";
import { durable, type FarClient, farProcesses, numbers, devices as text } from "./mqtt-processes.ts";

// MQTT of one process, and of workers of one machine, with a file of SQLite (spec/surfaces 4 and 17).

const { start, connect, endAll } = farProcesses();
afterAll(endAll);

describe("processes of one machine that share a file of SQLite", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "pipewright-test-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const service = (...flags: readonly string[]): Promise<Running> =>
    start(text, { PIPEWRIGHT_DATABASE_URL: `sqlite:${join(folder, "state.db")}` }, flags);

  test.each([[[]], [["--workers", "2"]]])(
    "sessions, retained messages and wills outlive processes with %j that are killed",
    async (flags) => {
      const first = await service(...flags);
      const client = await connect(first, durable("kept", 5));
      await client.mqtt.subscribeAsync("t", { qos: 2 });
      client.mqtt.end(true);
      const sender = await connect(first, { will: { topic: "will", payload: Buffer.from("gone"), qos: 1, retain: true } });
      for (const n of numbers(10)) await sender.mqtt.publishAsync("t", n, { qos: 2 });
      await sender.mqtt.publishAsync("r", "1", { qos: 1, retain: true });
      await sender.mqtt.publishAsync("t", "last", { qos: 2 });
      // A message that another worker has accepted is written soon after.
      const file = new DatabaseSync(join(folder, "state.db"), { readOnly: true });
      await until(() => expect(file.prepare("SELECT count(*) AS rows FROM pw_mqtt_messages").get()).toEqual({ rows: 11 }));
      file.close();
      await first.kill();
      const second = await service(...flags);
      const back = await connect(second, durable("kept", 5));
      expect(back.connack.sessionPresent).toBe(true);
      await back.has(11);
      expect(back.got).toEqual([...numbers(10), "last"].map((n) => `t ${n}`));
      const reader = await connect(second);
      await reader.mqtt.subscribeAsync("#", { qos: 1 });
      await until(() => expect(reader.got.toSorted()).toEqual(["r 1", "will gone"]));
    },
  );

  test("workers: clients meet whichever has them, and move from one to another", async () => {
    const first = await service("--workers", "3");
    const clients: FarClient[] = [];
    for (let n = 0; n < 9; n++) {
      const client = await connect(first, durable(`c${n}`, 5));
      await client.mqtt.subscribeAsync("t", { qos: 2 });
      clients.push(client);
    }
    for (const n of numbers(30)) await clients[Number(n) % 9]?.mqtt.publishAsync("t", n, { qos: 2 });
    for (const client of clients) await client.has(30);
    for (let n = 0; n < 9; n++) {
      const again = await connect(first, durable(`c${n}`, 5));
      expect(again.connack.sessionPresent).toBe(true);
      await until(() => expect(clients[n]?.told).toEqual([0x8e]));
      clients[n] = again;
    }
    await clients[0]?.mqtt.publishAsync("t", "all", { qos: 2 });
    for (const client of clients) await until(() => expect(client.got).toEqual(["t all"]));
    expect(await first.end()).toBe(0);
  });
});
