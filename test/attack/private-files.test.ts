import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { privateDatabase } from "#runtime/files/private-sqlite.ts";

// A process keeps its files for its own user, whatever the umask says. Windows has no such rights.

const folder = mkdtempSync(join(tmpdir(), "pipewright-private-"));
let before = 0;
beforeAll(() => {
  before = process.umask(0o022);
});
afterAll(() => {
  process.umask(before);
  rmSync(folder, { recursive: true, force: true });
});

const rights = (file: string): string => (statSync(file).mode & 0o777).toString(8);
const fill = (path: string): readonly string[] => {
  const database = privateDatabase(path, { timeout: 1_000 });
  try {
    database.exec("PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS a (b); INSERT INTO a VALUES (1)");
    return ["", "-wal", "-shm"].map((end) => rights(path + end));
  } finally {
    database.close();
  }
};

test.skipIf(process.platform === "win32")("a new database and its journals", () => {
  expect(fill(join(folder, "new.db"))).toEqual(["600", "600", "600"]);
});

test.skipIf(process.platform === "win32")("one that others could read", () => {
  const path = join(folder, "old.db");
  writeFileSync(path, "");
  for (const end of ["-wal", "-shm"]) writeFileSync(path + end, "");
  for (const end of ["", "-wal", "-shm"]) chmodSync(path + end, 0o644);
  expect(fill(path)).toEqual(["600", "600", "600"]);
});

test.skipIf(process.platform === "win32")("one behind a link that led nowhere", () => {
  const [path, target] = [join(folder, "linked.db"), join(folder, "target.db")];
  symlinkSync(target, path);
  const database = privateDatabase(path, { timeout: 1_000 });
  database.exec("PRAGMA journal_mode = WAL; CREATE TABLE a (b)");
  expect(["", "-wal", "-shm"].map((end) => rights(target + end))).toEqual(["600", "600", "600"]);
  database.close();
});

test.skipIf(process.platform === "win32")("a file that is no database keeps its rights, also behind a link", () => {
  const path = join(folder, "passwd");
  const link = join(folder, "state.db");
  writeFileSync(path, "root:x:0:0:root:/root:/bin/bash\n".repeat(40));
  chmodSync(path, 0o644);
  symlinkSync(path, link);
  for (const file of [path, link]) expect(() => privateDatabase(file, { timeout: 1_000 })).toThrow("file is not a database");
  expect(rights(path)).toBe("644");
});

test("a second connection of the process leaves the locks of the first", () => {
  const path = join(folder, "twice.db");
  const first = privateDatabase(path, { timeout: 0 });
  first.exec("CREATE TABLE a (b); BEGIN IMMEDIATE; INSERT INTO a VALUES (1)");
  const second = privateDatabase(path, { timeout: 0 });
  expect(() => second.exec("INSERT INTO a VALUES (2)")).toThrow("locked");
  first.exec("COMMIT");
  expect(second.prepare("SELECT count(*) AS n FROM a").get()).toMatchObject({ n: 1 });
  for (const each of [first, second]) each.close();
});

test("what is no file is left to SQLite", () => {
  privateDatabase(":memory:", { timeout: 0 }).close();
  expect(existsSync(":memory:")).toBe(false);
  expect(() => privateDatabase(join(folder, "nowhere", "a.db"), { timeout: 0 })).toThrow("unable to open");
});
