import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, open as openFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { retention } from "#runtime/capture/recording.ts";
import { ringRuns } from "#runtime/capture/ring-file.ts";
import { closeHistories, entry, folder, ids, newFolder, open, removeFolder } from "./histories.ts";

// The file where runs are kept (spec/surfaces 16) survives what happens to files.

beforeEach(newFolder);
afterEach(removeFolder);

afterEach(closeHistories);

describe("the ring file", () => {
  const file = (): string => join(folder.folder, "runs-local-production.ndjson");
  const lines = (): string[] => readFileSync(file(), "utf8").split("\n").slice(0, -1);

  test("is for its user alone, and so is its folder", async () => {
    await open(folder.env).write([entry(1)]);
    await open(folder.env).count({ config: "c", interface: "i", bundle: "b" }, 1, 1);
    expect(statSync(folder.folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder.folder).map((name) => [name, statSync(join(folder.folder, name)).mode & 0o777])).toEqual([
      ["captures-local-production.json", 0o600],
      ["runs-local-production.ndjson", 0o600],
    ]);
    // A file that other users may read is closed to them again.
    chmodSync(file(), 0o644);
    await open(folder.env).write([entry(2)]);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  test("nothing is made by looking, or by forgetting", async () => {
    const history = open(folder.env);
    expect(await history.list({}, 10)).toEqual({ runs: [], next: null });
    expect(await history.find(entry(1).run_uuid)).toBe(undefined);
    await history.prune(1);
    expect(existsSync(folder.folder)).toBe(false);
  });

  test("keeps a thousand runs: at most twice as many are on the disk", async () => {
    const history = open(folder.env);
    for (let i = 0; i < 25; i++) await history.write(Array.from({ length: 100 }, (_, n) => entry(i * 100 + n)));
    expect(lines().length).toBe(ringRuns + 500);
    const { runs, next } = await history.list({}, 5_000);
    expect([ids({ runs })[0], ids({ runs }).at(-1), runs.length, next]).toEqual([2_499, 1_500, ringRuns, null]);
    expect(readdirSync(folder.folder)).toEqual(["runs-local-production.ndjson"]);
    // Another process goes on where this one is.
    await open(folder.env).write([entry(3_000)]);
    await history.write([entry(3_001)]);
    const numbers = lines().map((line) => Number(/^\{"seq":(\d+)/.exec(line)?.[1]));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  test("runs are not written twice when the others cannot be removed", async () => {
    const history = open(folder.env);
    // Nothing can be put in the place of the file.
    mkdirSync(`${file()}.${process.pid}.new`, { recursive: true });
    for (let i = 0; i < 21; i++) await history.write(Array.from({ length: 100 }, (_, n) => entry(i * 100 + n)));
    expect(lines()).toHaveLength(2_100);
    rmSync(`${file()}.${process.pid}.new`, { recursive: true });
    await history.write([entry(2_100)]);
    expect(lines()).toHaveLength(ringRuns);
    expect(ids(await history.list({}, 1))).toEqual([2_100]);
  });

  test("a disk that is full takes all runs of a write, or none", async () => {
    const history = open(folder.env);
    await history.write([entry(1)]);
    const handle = await openFile(file());
    const prototype: FileHandle = Object.getPrototypeOf(handle);
    await handle.close();
    // The disk has room for the first of the two, and a part of the other.
    const full = vi.spyOn(prototype, "appendFile").mockImplementationOnce(async (bytes) => {
      appendFileSync(file(), Buffer.from(bytes as Buffer).subarray(0, -10));
      throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    });
    await expect(history.write([entry(2), entry(3)])).rejects.toThrow("ENOSPC");
    full.mockRestore();
    expect(lines()).toHaveLength(1);
    await history.write([entry(2), entry(3)]);
    expect(ids(await history.list({}, 10))).toEqual([3, 2, 1]);
  });

  test.each([1, 20, 200])("what a crash has left of a line (%i bytes) is passed over, and cut off by the next run", async (bytes) => {
    await open(folder.env).write([entry(1), entry(2)]);
    const half = JSON.stringify({ seq: 3, at: 5, run: JSON.parse(entry(3).text) }).slice(0, bytes);
    appendFileSync(file(), half);
    expect(ids(await open(folder.env).list({}, 10))).toEqual([2, 1]);
    await open(folder.env).write([entry(4)]);
    expect(lines().map((line) => JSON.parse(line).seq)).toEqual([1, 2, 3]);
    expect(ids(await open(folder.env).list({}, 10))).toEqual([4, 2, 1]);
  });

  test.each([
    ["lines that are none", 'no json\n{}\n[]\n{"seq":1}\n\n'],
    ["bytes that are no text", Buffer.from([0xff, 0xfe, 0x0a, 0x80, 0x0a])],
    ["a line without end", "x".repeat(3_000_000)],
    ["a very long line", `${"x".repeat(3_000_000)}\n`],
  ])("%s are passed over", async (_, damage) => {
    await open(folder.env).write([entry(1)]);
    appendFileSync(file(), damage);
    const history = open(folder.env);
    await history.write([entry(2)]);
    expect(ids(await history.list({}, 10))).toEqual([2, 1]);
    await history.prune(1_000_001 + retention.ms);
    expect(ids(await history.list({}, 10))).toContain(2);
  });

  test("a file that has been removed or emptied begins anew", async () => {
    const history = open(folder.env);
    await history.write([entry(1)]);
    rmSync(file());
    await history.write([entry(2)]);
    expect(ids(await history.list({}, 10))).toEqual([2]);
    writeFileSync(file(), "");
    await history.write([entry(3)]);
    expect(ids(await history.list({}, 10))).toEqual([3]);
  });

  test("no link is followed: neither of the file, nor of what takes its place, nor of the folder", async () => {
    const prey = join(folder.folder, "..", "prey");
    writeFileSync(prey, "precious");
    mkdirSync(folder.folder);
    symlinkSync(prey, file());
    await expect(open(folder.env).write([entry(1)])).rejects.toThrow("is no plain file: a link is not followed");
    await expect(open(folder.env).list({}, 1)).rejects.toThrow("is no plain file: a link is not followed");
    rmSync(file());
    symlinkSync(prey, `${file()}.${process.pid}.new`);
    const old = open(folder.env);
    await old.write([entry(1), entry(2, { at: 10_000_000 })]);
    await old.prune(10_000_000 + retention.ms);
    expect(ids(await old.list({}, 10))).toEqual([2]);
    rmSync(folder.folder, { recursive: true });
    const elsewhere = join(folder.folder, "..", "elsewhere");
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, folder.folder);
    await expect(open(folder.env).write([entry(1)])).rejects.toThrow("a link is not followed");
    expect([readFileSync(prey, "utf8"), readdirSync(elsewhere)]).toEqual(["precious", []]);
  });

  // Only root may give files away.
  test.skipIf(process.getuid?.() !== 0)("a file of another user is not written to, nor read", async () => {
    await open(folder.env).write([entry(1)]);
    chownSync(file(), 12_345, 12_345);
    await expect(open(folder.env).write([entry(2)])).rejects.toThrow("belongs to another user");
    await expect(open(folder.env).list({}, 1)).rejects.toThrow("belongs to another user");
  });

  test("the lock of a process that has died is taken, that of a living one is waited for", async () => {
    const history = open(folder.env);
    await history.write([entry(1)]);
    const lock = `${file()}.lock`;
    writeFileSync(lock, "");
    await expect(history.write([entry(2)])).rejects.toThrow("is held by another process");
    const before = Date.now() / 1_000 - 60;
    utimesSync(lock, before, before);
    await history.write([entry(3)]);
    expect(ids(await history.list({}, 10))).toEqual([3, 1]);
    expect(existsSync(lock)).toBe(false);
  });

  test("a window file that is damaged begins anew", async () => {
    const window = { config: "c", interface: "i", bundle: "b" };
    await open(folder.env).count(window, 1, 5);
    for (const damage of ["", "{", "[]", '{"x":1}', '{"__proto__":{"started":1,"runs":1}}']) {
      writeFileSync(join(folder.folder, "captures-local-production.json"), damage);
      expect(await open(folder.env).count(window, 1, 7)).toEqual({ started: 7, before: 0 });
    }
  });
});
