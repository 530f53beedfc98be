import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { until } from "../../harness/until.ts";
import { writePrinted } from "../cluster/service.ts";
import { Account, config, expectFull, expectRoom, isUnavailable, lines, settled, shown } from "./account.ts";
import { DiskService } from "./disk-service.ts";
import { mayLoop, mayMount, SmallDisk } from "./small-disk.ts";

// Faults of the disk below a store (F7): it is full, holds no more files, or takes nothing any more.

const { away, back } = lines;

let module: string;
const modules = mkdtempSync(join(tmpdir(), "pipewright-disk-modules-"));
beforeAll(async () => {
  module = await writePrinted(modules, "shop", config);
});
afterAll(() => rmSync(modules, { recursive: true, force: true }));

let disk: SmallDisk;
const services: DiskService[] = [];
afterEach(async () => {
  for (const service of services.splice(0)) await service.end("SIGKILL");
  disk.close();
});

const store = (): string => join(disk.folder, "store.db");

async function serving(database = `sqlite:${store()}`, upstream = ""): Promise<DiskService> {
  const service = await DiskService.start(module, database, upstream);
  services.push(service);
  return service;
}

const canMount = mayMount();
const canLoop = mayLoop();
if (!canMount) console.log("skipped: no file system can be mounted here, so that no disk can be full");
else if (!canLoop) console.log("skipped: no file can be mounted as a disk of ext4 here");

describe.runIf(canMount)("a file system in memory", () => {
  test("a disk that is full refuses durable runs at once, serves all else, and takes runs again without a restart", async () => {
    disk = new SmallDisk(8, 64);
    const service = await serving();
    const account = new Account(service);
    for (let n = 0; n < 5; n++) expect((await account.order()).status).toBe(202);
    disk.fill();
    expect(await account.refused()).toMatchObject(isUnavailable);
    expect(await account.refusedTimes()).toBeLessThan(1_000);
    expect(await service.post("/plain")).toMatchObject({ status: 200 });
    expectFull(service);
    expect((await shown(store())).toSorted()).toEqual([...account.accepted].sort());
    disk.makeRoom();
    await account.taken();
    await settled(store(), account);
    await expectRoom(service);
    expect(await service.end()).toBe(0);
    await settled(store(), account);
  });

  test("runs that were accepted before a disk is full finish when there is room", async () => {
    disk = new SmallDisk(8, 64);
    const service = await serving();
    const account = new Account(service);
    const orders = Array.from({ length: 30 }, () => account.order(10_000));
    disk.fill();
    await Promise.all(orders);
    disk.makeRoom();
    await account.taken();
    await settled(store(), account);
    expect(await service.end()).toBe(0);
  });

  test("no more files: an open store goes on, and one that is opened then waits for room", async () => {
    disk = new SmallDisk(8, 64);
    const first = await serving();
    const before = new Account(first);
    await before.order();
    disk.fillFiles();
    for (let n = 0; n < 5; n++) expect((await before.order()).status).toBe(202);
    await settled(store(), before);
    expect(await first.end()).toBe(0);
    // A store that was closed has left no journals, and the names of files are taken again.
    disk.fillFiles();
    const second = await serving();
    const account = new Account(second);
    expect(await account.refused()).toMatchObject(isUnavailable);
    expect(await second.post("/plain")).toMatchObject({ status: 200 });
    expect(second.durableLines[0]).toBe(`${away}the store ${store()} cannot be opened: its disk is full, give it room`);
    disk.makeRoom();
    await account.taken();
    for (const id of before.accepted) account.accepted.add(id);
    await settled(store(), account);
    await expectRoom(second);
    expect(await second.end()).toBe(0);
  });

  test.each(["a new store", "a store with runs"])("a start while the disk is full: %s", async (kind) => {
    disk = new SmallDisk(8, 64);
    const accepted: string[] = [];
    if (kind === "a store with runs") {
      const first = await serving();
      const before = new Account(first);
      await before.order();
      accepted.push(...before.accepted);
      await settled(store(), before);
      await first.end();
    }
    disk.fill();
    const service = await serving();
    const account = new Account(service);
    expect(await service.post("/sum")).toMatchObject(isUnavailable);
    expect(await account.refusedTimes()).toBeLessThan(1_000);
    expect(await service.post("/plain")).toMatchObject({ status: 200 });
    expectFull(service);
    disk.makeRoom();
    await account.taken();
    for (const id of accepted) account.accepted.add(id);
    await settled(store(), account);
    await expectRoom(service);
    expect(await service.end()).toBe(0);
  });

  test("a process that ends while the disk is full ends by itself, and the next one goes on with its runs", async () => {
    disk = new SmallDisk(8, 64);
    const service = await serving();
    const account = new Account(service);
    await account.order();
    await settled(store(), account);
    disk.fill();
    await account.refused();
    expect(await service.end()).toBe(0);
    disk.makeRoom();
    const next = await serving();
    await new Account(next).taken();
    expect(await next.end()).toBe(0);
  });

  test("a file system that is read-only at the start is named, and nothing is served", async () => {
    disk = new SmallDisk(8, 64);
    expect(await (await serving()).end()).toBe(0);
    disk.remount("ro");
    const reason = "its file system is read-only; make it writable, or name a file elsewhere";
    await expect(serving()).rejects.toThrow(`the store ${store()} cannot be opened: ${reason}`);
    disk.remount("rw");
    expect(await (await serving()).end()).toBe(0);
  });
});

describe.runIf(canLoop)("a disk of ext4", () => {
  test("that is full", async () => {
    disk = new SmallDisk(8);
    const service = await serving();
    const account = new Account(service);
    await account.order();
    disk.fill();
    expect(await account.refused()).toMatchObject(isUnavailable);
    expect(await account.refusedTimes()).toBeLessThan(1_000);
    disk.makeRoom();
    await account.taken();
    await settled(store(), account);
    await expectRoom(service);
    expect(await service.end()).toBe(0);
  });

  test("whose kernel writes nothing any more: callers are told so, the process ends when it is told to, and no run is lost", async () => {
    disk = new SmallDisk(16);
    const service = await serving();
    const account = new Account(service);
    for (let n = 0; n < 5; n++) await account.order();
    await settled(store(), account);
    disk.break();
    expect(await account.refused()).toMatchObject(isUnavailable);
    expect(await account.refusedTimes()).toBeLessThan(1_000);
    expect(await service.post("/plain")).toMatchObject({ status: 200 });
    expect(service.durableLines).toEqual([expect.stringContaining(`${away}its disk cannot be written, see what the system logs of it (`)]);
    expect(service.isAlive).toBe(true);
    expect(await service.end()).toBe(0);
    disk.repair();
    const next = await serving();
    const after = new Account(next);
    await after.taken();
    for (const id of account.accepted) after.accepted.add(id);
    await settled(store(), after);
    expect(await next.end()).toBe(0);
  });

  test("a process whose run cannot be stored any more ends with a word, and the next one does the action again", async () => {
    disk = new SmallDisk(16);
    const calls: ServerResponse[] = [];
    const upstream = createServer((_, response) => void calls.push(response)).listen(0, "127.0.0.1");
    await once(upstream, "listening");
    const { port } = upstream.address() as AddressInfo;
    const service = await serving(undefined, `http://127.0.0.1:${port}`);
    const answer = await service.post("/call");
    expect(answer.status).toBe(202);
    await until(() => expect(calls).toHaveLength(1));
    disk.break();
    calls[0]?.end("ok");
    await until(() => expect(service.durableLines).toHaveLength(1));
    expect(await service.end()).toBe(0);
    expect(service.durableLines.slice(1)).toEqual([
      expect.stringMatching(/^warn durable runs: the process ends without its store: its runs go on at another node or at the next start/),
    ]);
    disk.repair();
    const next = await serving(undefined, `http://127.0.0.1:${port}`);
    await until(() => expect(calls).toHaveLength(2));
    calls[1]?.end("ok");
    const account = new Account(next);
    account.accepted.add(JSON.parse(answer.body).request_id);
    await settled(store(), account);
    expect(await next.end()).toBe(0);
    upstream.close();
  });

  test("that refuses writes for a while: runs that were under way finish without a restart", async () => {
    disk = new SmallDisk(16);
    const service = await serving();
    const account = new Account(service);
    await account.order();
    const files = [store(), `${store()}-wal`];
    disk.refuse(true, ...files);
    expect(await account.refused()).toMatchObject(isUnavailable);
    expect(service.isAlive).toBe(true);
    disk.refuse(false, ...files);
    await account.taken();
    await settled(store(), account);
    expect(service.durableLines.at(-1)).toBe(back);
    expect(await service.end()).toBe(0);
  });
});
