import { join } from "node:path";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type History, retention } from "#runtime/capture/recording.ts";
import { server } from "../../harness/peers/postgres-server.ts";
import { closeHistories, type Environment, entry, folder, ids, newFolder, open, removeFolder } from "./histories.ts";

// Where runs are kept (spec/surfaces 16): every store answers alike.

const schema = `capture_test_${process.pid}_${Date.now()}`;
let client: pg.Client | undefined;

beforeEach(newFolder);
afterEach(removeFolder);
beforeAll(async () => {
  if (server === undefined) return;
  client = new pg.Client({ connectionString: server });
  await client.connect();
});
afterAll(async () => {
  await client?.end();
});
beforeEach(async () => void (await client?.query(`CREATE SCHEMA ${schema}`)));
afterEach(async () => void (await client?.query(`DROP SCHEMA ${schema} CASCADE`)));

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

afterEach(closeHistories);

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
          // SQLite waits only briefly for a writer, so that the next one has to try again.
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
      Array.from({ length: 8 }, (_, i) => (i % 2 === 0 ? one : other).count({ ...window, config: "d" }, 1, i)),
    );
    expect(sums.map(({ before }) => before).sort((a, b) => a - b)).toEqual(Array.from({ length: 8 }, (_, i) => i));
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
