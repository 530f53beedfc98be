import { resolve } from "node:path";
import { expect, test } from "vitest";
import { mongodb } from "../../../runtime/features/actions/database/mongodb.ts";
import { mssql } from "../../../runtime/features/actions/database/mssql.ts";
import { mysql } from "../../../runtime/features/actions/database/mysql.ts";
import { postgres } from "../../../runtime/features/actions/database/postgres.ts";
import { masked, readSettings } from "../../../runtime/features/actions/database/settings.ts";
import { failed } from "../../../runtime/features/actions/database/source.ts";
import { fileOf } from "../../../runtime/features/actions/database/sqlite-file.ts";
import type { JsonObject } from "../../../runtime/value/json.ts";
import { failure, runningAct, session } from "../../harness/database-run.ts";
import { stillHost } from "../../harness/still-host.ts";

// Addresses that no server is asked for: of another scheme, or with a password that would make another host of them.

const starts = (scheme: string): string => `database: database: conn_string starts with ${scheme}://`;
const misplaced =
  "database: database: conn_string has an '@' behind its host; in a password '@' is %40, '/' is %2F, '?' is %3F and '#' is %23";

const outcomeOf = (driver: "postgres" | "mysql" | "mssql" | "mongodb", conn_string: string): Promise<string> => {
  if (driver !== "mongodb") return failure(session({ postgres, mysql, mssql }[driver], { conn_string }).query("SELECT 1"));
  const source = { name: "main", driver: mongodb, settings: () => ({ conn_string }) };
  try {
    mongodb.open(readSettings({ conn_string }), () => undefined);
  } catch (thrown) {
    return failure(Promise.reject(failed(thrown, source, runningAct(stillHost({})).run)));
  }
  return Promise.resolve("opened");
};

test.each([
  ["postgres", "host=127.0.0.1 port=1 user=app dbname=shop", starts("postgres")],
  ["postgres", "mysql://root@127.0.0.1:1/shop", starts("postgres")],
  ["mysql", "root@tcp(127.0.0.1:1)/shop", starts("mysql")],
  ["mysql", "postgres://root@127.0.0.1:1/shop", starts("mysql")],
  ["mssql", "mysql://root@127.0.0.1:1/shop", starts("mssql")],
  ["mssql", "127.0.0.1", `${starts("mssql")}, or names a Server`],
  ["mongodb", "mysql://root@127.0.0.1:1/shop", starts("mongodb")],
  ["postgres", "postgresql://u:se@cret2/x@127.0.0.1:1/shop", misplaced],
  ["mysql", "mysql://u:se@cret2/x@127.0.0.1:1/shop", misplaced],
  ["mysql", "mysql://u:12#x@127.0.0.1:1/shop", misplaced],
  ["mssql", "mssql://u:12?x@127.0.0.1:1/shop", misplaced],
  ["mongodb", "mongodb://u:se@cret2/x@127.0.0.1:1/shop", misplaced],
] as const)("%s refuses %s", async (driver, conn_string, expected) => {
  expect(await outcomeOf(driver, conn_string)).toBe(expected);
});

test.each([
  ["postgres", "postgres://u:se@cret@127.0.0.1:1/shop?application_name=a@b"],
  ["postgres", "POSTGRES://127.0.0.1:1/shop?host=/nowhere/x&user=a@b"],
  ["postgres", "/nowhere shop"],
  ["mysql", "mysql://u:se%40cret%2Fx@127.0.0.1:1/shop"],
] as const)("%s asks %s", async (driver, conn_string) => {
  expect(await outcomeOf(driver, conn_string)).toMatch(/ECONNREFUSED|ENOENT/);
});

test.each(["postgres", "mysql"] as const)("%s asks a host of IPv6 in brackets", async (driver) => {
  const parts = { host: "[::1]", port: 1, dbname: "shop" };
  expect(await failure(session({ postgres, mysql }[driver], parts).query("SELECT 1"))).toMatch(/(?:ECONNREFUSED|EADDRNOTAVAIL) ::1/);
});

test.each<[JsonObject, string, string]>([
  [{ dbname: "d b?x%20.db" }, "d b?x%20.db", "rwc"],
  [{ dbname: "a.db", params: { mode: "ro" } }, "a.db", "ro"],
  [{ conn_string: "sqlite:d%20b.db?mode=ro" }, "d b.db", "ro"],
  [{ conn_string: "d%20b.db" }, "d b.db", "rwc"],
])("sqlite opens %j", (settings, name, mode) => {
  expect(fileOf(readSettings(settings))).toEqual({ path: resolve(name), mode });
});

test("sqlite refuses an address as the name of a file", () => {
  expect(() => fileOf(readSettings({ dbname: "sqlite:a.db" }))).toThrow(
    "dbname is the name of a file; an address is written as conn_string",
  );
  expect(fileOf(readSettings({ dbname: ":memory:" })).path).toBe(":memory:");
});

test("an address is hidden, a scheme alone is not", () => {
  const hidden = (text: string): string => masked(text, readSettings({}));
  expect(hidden("at x://a:b@c/d, or 'y://e', not z://, nor z://")).toBe("at *** or '***', not z://, nor z://");
});
