import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openHistory } from "#runtime/capture/open.ts";
import { createHost } from "#runtime/process/host.ts";
import { stateOf } from "#runtime/state/open.ts";
import { runsOf } from "#runtime/store/open-runs.ts";
import { sqliteSteps } from "#runtime/store/schema.ts";
import { scopeOf } from "#runtime/store/scope.ts";
import { SqliteRuns } from "#runtime/store/sqlite-runs.ts";
import { SqliteStore } from "#runtime/store/sqlite-store.ts";
import { hashOf, newRun, of } from "./run-stores.ts";

// One file of SQLite: full, damaged, of another version, and what must not stand in it.

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pipewright-file-"));
  file = join(folder, "store.db");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const scope = scopeOf({ organisation: "local", environment: "production" });

const opened = (): SqliteStore => new SqliteStore(file, 1_000_000, Date.now);

/** The file as version 0.1.0 has left it. */
const tablesOf010 = `
  CREATE TABLE pw_state (ns TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, version INTEGER NOT NULL, expires_at REAL,
    PRIMARY KEY (ns, key)) WITHOUT ROWID;
  CREATE TABLE pw_seen (seq INTEGER PRIMARY KEY AUTOINCREMENT, ns TEXT NOT NULL, key TEXT NOT NULL, id TEXT NOT NULL, expires_at REAL,
    UNIQUE (ns, key, id));
  CREATE TABLE pw_history (seq INTEGER PRIMARY KEY AUTOINCREMENT, org TEXT NOT NULL, env TEXT NOT NULL, run_uuid TEXT NOT NULL, parent TEXT,
    config TEXT NOT NULL, interface TEXT NOT NULL, trigger TEXT NOT NULL, started REAL NOT NULL, ms INTEGER NOT NULL,
    status INTEGER NOT NULL, record TEXT NOT NULL);
  INSERT INTO pw_state VALUES ('c', 'cursor', '{"id":7}', 3, NULL);
  INSERT INTO pw_seen (ns, key, id) VALUES ('c', 'set', 'old');
  INSERT INTO pw_history (org, env, run_uuid, config, interface, trigger, started, ms, status, record)
    VALUES ('local', 'production', 'u', 'c', 'i', 'http', 1, 2, 200, '{"run_uuid":"u"}');
`;

test("a file of version 0.1.0 goes forward with its data, also while a process of that version writes", async () => {
  const older = new DatabaseSync(file);
  older.exec(`PRAGMA journal_mode = WAL; ${tablesOf010}`);
  const host = createHost({ env: { PIPEWRIGHT_DATABASE_URL: `sqlite:${file}` } });
  const state = stateOf(host);
  expect(await state.get({ namespace: "c", key: "cursor" })).toEqual({ value: { id: 7 }, version: 3 });
  expect(await state.seen({ namespace: "c", key: "set" }, ["old", "new"], { cap: 10, mark: "m" })).toEqual([false, true]);
  expect(await state.seen({ namespace: "c", key: "set" }, ["old", "new"], { cap: 10, mark: "m" })).toEqual([false, true]);
  expect((await openHistory(host).list({}, 10)).runs).toMatchObject([{ run_uuid: "u", status: 200 }]);
  expect(await runsOf(host).create(newRun())).toMatchObject({ created: true });
  older.exec("UPDATE pw_state SET value = '8', version = 4");
  expect(await state.get({ namespace: "c", key: "cursor" })).toEqual({ value: 8, version: 4 });
  expect(older.prepare("SELECT version FROM pw_schema").get()?.version).toBe(sqliteSteps.length);
  older.close();
  await host.close();
  opened().close();
});

test("a file that a newer pipewright has changed is refused as it is", async () => {
  opened().close();
  const newer = new DatabaseSync(file);
  newer.exec("UPDATE pw_schema SET version = 99; CREATE TABLE pw_future (x)");
  newer.close();
  const bytes = readFileSync(file);
  expect(opened).toThrow(`the tables of the store have version 99, and this pipewright knows ${sqliteSteps.length}`);
  expect(readFileSync(file).equals(bytes)).toBe(true);
  const log: string[] = [];
  const host = createHost({ env: { PIPEWRIGHT_DATABASE_URL: `sqlite:${file}` }, log: (level, msg) => void log.push(`${level} ${msg}`) });
  expect(() => stateOf(host)).toThrow("state is not available");
  expect(log).toEqual([expect.stringMatching(/^error state: the tables of the store have version 99/)]);
  await host.close();
});

test("a write that finds no room changes nothing, others go on, and all is well when there is room again", async () => {
  const store = opened();
  const runs = new SqliteRuns(store, scope);
  const pages = Number(store.ask("PRAGMA page_count").get()?.page_count) + 40;
  store.ask(`PRAGMA max_page_count = ${pages}`).get();
  const kept: string[] = [];
  let refusal: unknown;
  while (refusal === undefined) {
    const run = newRun({ lease: of("a"), input: `"${"x".repeat(9_000)}"` });
    // A small write of the same turn is not lost with the large one.
    const [small] = await Promise.all([
      store.write(() => store.ask("SELECT 1 AS one").get()?.one),
      runs.create(run).then(
        () => kept.push(run.id),
        (error: unknown) => {
          refusal = error;
        },
      ),
    ]);
    expect(small).toBe(1);
  }
  expect(refusal).toMatchObject({ errcode: 13 });
  expect(kept.length).toBeGreaterThan(5);
  expect((await runs.list({ limit: 1_000 })).map(({ id }) => id).toSorted()).toEqual(kept.toSorted());
  store.ask(`PRAGMA max_page_count = ${pages + 1_000}`).get();
  expect(await runs.create(newRun())).toMatchObject({ created: true });
  expect(store.ask("PRAGMA integrity_check").get()?.integrity_check).toBe("ok");
  await runs.close();
});

test.each([0, 1, 5])("a file whose page %i is damaged is refused with what to do", async (page) => {
  const runs = new SqliteRuns(opened(), scope);
  for (let n = 0; n < 50; n++) await runs.create(newRun({ input: `"${"x".repeat(3_000)}"` }));
  await runs.close();
  const handle = openSync(file, "r+");
  writeSync(handle, Buffer.alloc(4_096, 0xa5), 0, 4_096, page * 4_096);
  closeSync(handle);
  const size = statSync(file).size;
  expect(opened).toThrow(
    /^the file of the store, \/.+\/store\.db, is damaged \(.+\): restore it from a backup, or move it away to begin anew$/,
  );
  expect(statSync(file).size).toBe(size);
});

test("a file that is none of SQLite is left as it is", () => {
  writeFileSync(file, "a page of notes, ".repeat(400));
  const bytes = readFileSync(file);
  expect(opened).toThrow(`the file of the store, ${file}, is damaged`);
  expect(readFileSync(file).equals(bytes)).toBe(true);
});

test("a token stands nowhere in the file, its hash does", async () => {
  const store = opened();
  const runs = new SqliteRuns(store, scope);
  const run = newRun({ lease: of("a") });
  await runs.create(run);
  const wait = { path: "Ask", tokenHash: hashOf(0xabcdef), until: Date.now() + 60_000 };
  await runs.checkpoint({ id: run.id, epoch: 1 }, [], { wait, release: {} });
  expect(await runs.resume("canary-token-of-a-callback", "{}")).toEqual({ state: "unknown" });
  await runs.close();
  const text = readFileSync(file, "latin1");
  expect(text).toContain(wait.tokenHash);
  expect(text).not.toContain("canary-token");
});

test("writes of one turn share a commit, and their answers wait for it", async () => {
  const store = opened();
  const commits = Number(store.ask("PRAGMA data_version").get()?.data_version);
  const other = new DatabaseSync(file);
  const version = (): number => Number(other.prepare("PRAGMA data_version").get()?.data_version);
  const before = version();
  const writes = Array.from({ length: 100 }, (_, n) =>
    store.write(() => store.ask("INSERT INTO pw_nodes (node, session) VALUES (?, '')").run(`n${n}`)),
  );
  expect(other.prepare("SELECT count(*) AS count FROM pw_nodes").get()?.count).toBe(0);
  await Promise.all(writes);
  expect(other.prepare("SELECT count(*) AS count FROM pw_nodes").get()?.count).toBe(100);
  expect(version()).toBe(before + 1);
  expect(Number(store.ask("PRAGMA data_version").get()?.data_version)).toBe(commits);
  other.close();
  store.close();
});
