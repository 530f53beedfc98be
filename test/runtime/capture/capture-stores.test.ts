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
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { openHistory } from "#runtime/capture/open.ts";
import { type Entry, type History, retention } from "#runtime/capture/recording.ts";
import { ringRuns } from "#runtime/capture/ring-file.ts";
import { ownFolder, placeOf } from "../../harness/captured.ts";
import { server } from "../../harness/peers/postgres-server.ts";

// Where runs are kept (spec/surfaces 16): every store answers alike, and the files survive what happens to files.

type Environment = Readonly<Record<string, string>>;

const schema = `capture_test_${process.pid}_${Date.now()}`;
let client: pg.Client | undefined;
let folder: ReturnType<typeof ownFolder>;
beforeAll(async () => {
  if (server === undefined) return;
  client = new pg.Client({ connectionString: server });
  await client.connect();
});
afterAll(async () => {
  await client?.end();
});
beforeEach(async () => {
  folder = ownFolder();
  await client?.query(`CREATE SCHEMA ${schema}`);
});
afterEach(async () => {
  folder.remove();
  await client?.query(`DROP SCHEMA ${schema} CASCADE`);
});

const stores: readonly (readonly [string, () => Environment])[] = [
  ["ring file", () => folder.env],
  ["SQLite", () => ({ PIPEWRIGHT_DATABASE_URL: `sqlite:${join(folder.folder, "..", "runs.db")}` })],
  ...(server === undefined ? [] : [["PostgreSQL", () => ({ PIPEWRIGHT_DATABASE_URL: inSchema(server ?? "") })] as const]),
];

function inSchema(address: string): string {
  const url = new URL(address);
  url.searchParams.set("options", `-c search_path=${schema}`);
  return url.href;
}

const opened: History[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((history) => history.close()));
});

function open(env: Environment, environment = "production"): History {
  const history = openHistory({ ...placeOf(env), environment });
  opened.push(history);
  return history;
}

/** A run that ended at this time. */
function entry(n: number, more: Partial<Entry> = {}): Entry {
  const at = 1_000_000 + n;
  const id = `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
  const run = { run_uuid: id, parent: null, config: "c", interface: "i", trigger: "http", ms: 3, status: 200, ...more };
  const record = { ...run, started: new Date(more.at ?? at).toISOString(), request: { params: {}, headers: {}, body: null }, actions: [] };
  return { at, ...record, text: JSON.stringify(record), ...more };
}

const ids = (found: { readonly runs: readonly { readonly run_uuid: string }[] }): number[] =>
  found.runs.map(({ run_uuid }) => Number(run_uuid.slice(-12)));

describe.each(stores)("%s", (_, env) => {
  test("gives runs back, the newest first and a page at a time", async () => {
    const history = open(env());
    await history.write([entry(1), entry(2), entry(3)]);
    await history.write([entry(4), entry(5)]);
    const first = await history.list({}, 2);
    expect(ids(first)).toEqual([5, 4]);
    // A run that comes meanwhile neither repeats nor hides anything.
    await history.write([entry(6)]);
    const second = await history.list({}, 2, first.next ?? 0);
    expect(ids(second)).toEqual([3, 2]);
    const third = await history.list({}, 2, second.next ?? 0);
    expect([ids(third), third.next]).toEqual([[1], null]);
    expect((await history.list({}, 1)).runs[0]).toEqual({
      run_uuid: entry(6).run_uuid,
      parent: null,
      config: "c",
      interface: "i",
      trigger: "http",
      started: new Date(1_000_006).toISOString(),
      ms: 3,
      status: 200,
    });
    expect(await history.find(entry(2).run_uuid)).toEqual(JSON.parse(entry(2).text));
    expect(await history.find(entry(9).run_uuid)).toBe(undefined);
  });

  test("gives whole records in the same pages", async () => {
    const history = open(env());
    await history.write([entry(1, { status: 500 }), entry(2), entry(3, { status: 501 }), entry(4, { status: 502 })]);
    const first = await history.records({ status: 5 }, 2);
    const second = await history.records({ status: 5 }, 2, first.next ?? 0);
    const wanted = [entry(4, { status: 502 }), entry(3, { status: 501 }), entry(1, { status: 500 })].map(({ text }) => JSON.parse(text));
    expect([first.runs, second.runs, second.next]).toEqual([wanted.slice(0, 2), wanted.slice(2), null]);
  });

  test("finds those that fit", async () => {
    const history = open(env());
    await history.write([
      entry(1, { status: 404 }),
      entry(2, { status: 422, interface: "other" }),
      entry(3, { status: 500, config: "d" }),
      entry(4, { trigger: "schedule" }),
      entry(5, { interface: "' OR 1=1 --" }),
      entry(6, { status: 40 * 10 + 4, config: "\0é\u{1F600}" }),
    ]);
    const found = async (filter: Parameters<History["list"]>[0]): Promise<number[]> => ids(await history.list(filter, 10));
    expect(await found({ status: 4 })).toEqual([6, 2, 1]);
    expect(await found({ status: 404 })).toEqual([6, 1]);
    expect(await found({ config: "d" })).toEqual([3]);
    expect(await found({ interface: "' OR 1=1 --" })).toEqual([5]);
    expect(await found({ trigger: "schedule" })).toEqual([4]);
    expect(await found({ since: 1_000_003, until: 1_000_005 })).toEqual([4, 3]);
    expect(await found({ status: 5, config: "c" })).toEqual([]);
    expect(await found({ config: "\0é\u{1F600}" })).toEqual([6]);
  });

  test("keeps any JSON, and the newest of two runs with one id", async () => {
    const history = open(env());
    const odd = { ...JSON.parse(entry(1).text), request: { params: {}, headers: {}, body: ["\0", "\ud800", "\n{", "é", '{"seq":9'] } };
    await history.write([entry(1), entry(1, { text: JSON.stringify(odd) })]);
    expect(await history.find(entry(1).run_uuid)).toEqual(odd);
  });

  test("environments do not see each other", async () => {
    const [here, there] = [open(env()), open(env(), "staging")];
    await here.write([entry(1)]);
    await there.write([entry(2)]);
    expect([ids(await here.list({}, 10)), ids(await there.list({}, 10))]).toEqual([[1], [2]]);
    expect(await there.find(entry(1).run_uuid)).toBe(undefined);
    await there.prune(Date.now());
    expect([ids(await here.list({}, 10)).length <= 1, ids(await there.list({}, 10))]).toEqual([true, []]);
  });

  test("forgets what is older than a week", async () => {
    const history = open(env());
    const now = Date.parse("2026-03-01T00:00:00Z");
    await history.write([entry(1, { at: now - retention.ms - 1 }), entry(2, { at: now - retention.ms }), entry(3, { at: now })]);
    await history.prune(now);
    expect(ids(await history.list({}, 10))).toEqual([3, 2]);
    await history.write([entry(4, { at: now })]);
    expect(ids(await history.list({}, 10))).toEqual([4, 3, 2]);
  });

  test("two processes that write at once lose nothing", async () => {
    const histories = [open(env()), open(env()), open(env())];
    // The tables are made by all of them.
    await Promise.all(
      histories.map(async (history, p) => {
        for (let i = 0; i < 30; i++) {
          const written = (): Promise<void> => history.write([entry(1 + p * 100 + i), entry(1_001 + p * 100 + i)]);
          // SQLite waits only briefly: whoever writes tries again.
          for (let failed = true; failed; )
            failed = await written().then(
              () => false,
              () => true,
            );
        }
      }),
    );
    const all = ids((await histories[0]?.list({}, 500)) ?? { runs: [] });
    expect(new Set(all).size).toBe(180);
    expect(all).toHaveLength(180);
  });

  test("counts the runs of a bounded capture for all processes, from the first word on", async () => {
    const window = { config: "c", interface: "i", bundle: "b1" };
    const [one, other] = [open(env()), open(env())];
    expect(await one.count(window, 0, 500)).toEqual({ started: 500, before: 0 });
    expect(await other.count(window, 3, 900)).toEqual({ started: 500, before: 0 });
    expect(await one.count(window, 2, 950)).toEqual({ started: 500, before: 3 });
    expect(await one.count({ ...window, bundle: "b2" }, 1, 960)).toEqual({ started: 960, before: 0 });
    expect(await one.count({ ...window, interface: "j" }, 1, 970)).toEqual({ started: 970, before: 0 });
    const sums = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? one : other).count({ ...window, config: "d" }, 1, i)),
    );
    expect(sums.map(({ before }) => before).sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
  });
});

describe("databases", () => {
  test.each(stores.slice(1))("%s keeps ten thousand runs", async (_, env) => {
    const history = open(env());
    for (let i = 0; i < 11; i++) await history.write(Array.from({ length: 1_000 }, (_, n) => entry(i * 1_000 + n, { at: 1_000_000 })));
    await history.prune(1_000_000);
    let count = 0;
    let cursor: number | undefined;
    do {
      const page = await history.list({}, 2_000, cursor);
      count += page.runs.length;
      cursor = page.next ?? undefined;
    } while (cursor !== undefined);
    expect(count).toBe(retention.runs);
    expect(await history.find(entry(999).run_uuid)).toBe(undefined);
    expect(await history.find(entry(1_000).run_uuid)).toBeDefined();
  });

  test("an address that is none says what it may be, and one that cannot be reached does not quote its password", async () => {
    await expect(open({ PIPEWRIGHT_DATABASE_URL: "mysql://x" }).list({}, 1)).rejects.toThrow(
      "PIPEWRIGHT_DATABASE_URL is postgres://… or sqlite:FILE",
    );
    const failure = await open({ PIPEWRIGHT_DATABASE_URL: "postgres://svc:canary-pass@127.0.0.1:1/db" })
      .list({}, 1)
      .catch((error: Error) => error);
    expect(String(failure)).toMatch(/^Error: /);
    expect(String(failure)).not.toContain("canary-pass");
  });
});

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
    // One that somebody has opened is closed again.
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
