import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mongodb } from "../../../runtime/features/actions/database/mongodb.ts";
import { mssql } from "../../../runtime/features/actions/database/mssql.ts";
import { mysql } from "../../../runtime/features/actions/database/mysql.ts";
import { postgres } from "../../../runtime/features/actions/database/postgres.ts";
import { sqlite } from "../../../runtime/features/actions/database/sqlite.ts";
import type { Connection, Driver } from "../../../runtime/features/actions/database.ts";
import { createHost } from "../../../runtime/process/host.ts";
import { background } from "../../../runtime/run/end/background.ts";
import type { RunRecord } from "../../../runtime/run/end/run-line.ts";
import type { RecordTo } from "../../../runtime/run/interface.ts";
import { run_documents } from "../../../runtime/run/records/documents.ts";
import { run_rows } from "../../../runtime/run/records/rows.ts";
import type { JsonObject } from "../../../runtime/value/json.ts";
import { runningAct, type Session, session } from "../../harness/database-run.ts";
import { mongoPeer } from "../../harness/peers/mongo-peer.ts";
import { administer, mysqlServer } from "../../harness/peers/mysql-server.ts";
import { server as postgresServer } from "../../harness/peers/postgres-server.ts";
import { tdsPeer } from "../../harness/peers/tds-peer.ts";

const name = `pipewright_records_${process.pid}`;
const hosts: Session["host"][] = [];
const open = (driver: Driver, settings: JsonObject): Session => {
  const opened = session(driver, settings);
  hosts.push(opened.host);
  return opened;
};

beforeAll(async () => {
  if (mysqlServer !== undefined) await administer(`CREATE DATABASE ${name}`);
});
afterAll(async () => {
  await Promise.all(hosts.map((host) => host.close()));
  if (mysqlServer !== undefined) await administer(`DROP DATABASE ${name}`);
});

const record = (run_uuid: string): RunRecord => ({
  run_uuid,
  config: "shop",
  interface: "orders",
  trigger: "http",
  http_code: 503,
  ms: 12,
  errors: ['it\'s "late"', "second\n"],
});

/** Records a run, and waits as a shutdown does. */
async function written({ host }: Pick<Session, "host">, to: RecordTo, ...ids: readonly string[]): Promise<void> {
  for (const id of ids) to(runningAct(host).run, record(id));
  await background(host).ended();
}

describe.each([
  [
    "postgres",
    postgres,
    postgresServer === undefined ? undefined : { conn_string: `${postgresServer}?options=-c%20search_path%3D${name}` },
  ],
  ["mysql", mysql, mysqlServer === undefined ? undefined : { conn_string: `${mysqlServer}/${name}` }],
  ["sqlite", sqlite, { conn_string: "sqlite::memory:" }],
] as const)("records of runs in %s", (driver, code, settings) => {
  test.runIf(settings !== undefined)("a missing table is made, and takes a row for each run", async () => {
    const opened = open(code, { ...settings });
    if (driver === "postgres") await opened.query(`CREATE SCHEMA ${name}`);
    const { errors, ...rest } = record("");
    // All at once: each finds no table.
    await written(opened, run_rows(opened.source), "1", "2", "3");
    await written(opened, run_rows(opened.source), "4");
    expect(opened.logged).toEqual([]);
    const rows = (await opened.query("SELECT * FROM pipewright_log ORDER BY run_uuid")) as JsonObject[];
    expect(rows).toEqual(
      ["1", "2", "3", "4"].map((run_uuid) => ({
        ...rest,
        run_uuid,
        errors: driver === "sqlite" ? JSON.stringify(errors) : errors,
        logged_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/),
      })),
    );
    if (driver === "postgres") await opened.query(`DROP SCHEMA ${name} CASCADE`);
  });
});

test("records of runs in mssql, against a peer that speaks its protocol", async () => {
  let isThere = false;
  const peer = await tdsPeer(({ sql }) => {
    if (sql.includes("CREATE TABLE")) isThere = true;
    return isThere ? [] : [{ error: "Invalid object name 'pipewright_log'.", number: 208, severity: 16 }];
  });
  const opened = open(mssql, { conn_string: `mssql://app:p@127.0.0.1:${peer.port}/shop?encrypt=false` });
  await written(opened, run_rows(opened.source), "1");
  expect(opened.logged).toEqual([]);
  expect(peer.seen.map(({ sql }) => sql.split(" (")[0])).toEqual([
    "INSERT INTO pipewright_log",
    "IF OBJECT_ID(N'pipewright_log', N'U') IS NULL CREATE TABLE pipewright_log",
    "INSERT INTO pipewright_log",
  ]);
  await opened.host.close();
  await peer.close();
});

test("records of runs in mongodb, against a peer that speaks its protocol", async () => {
  const peer = await mongoPeer();
  const host = createHost({ env: {}, clock: Date.UTC(2026, 0, 2) });
  await written({ host }, run_documents({ name: "main", driver: mongodb, settings: () => ({ conn_string: `${peer.address}/app` }) }), "1");
  const { ms, http_code, ...texts } = record("1");
  expect(peer.seen.filter(({ insert }) => insert === "pipewright_log")).toMatchObject([{ documents: [texts] }]);
  await host.close();
  await peer.close();
});

describe("a database that does not take them", () => {
  /** A database that is open, and answers as it is told. */
  const answering = (query: Connection["query"], script: Connection["script"]): Driver => ({
    name: "sqlite",
    speaks: "sqlite",
    identity: () => "stub",
    open: () => ({ query, script, ping: async () => undefined, close: () => undefined }),
  });

  test("is told of once a record, by why the record could not be written", async () => {
    const driver = answering(
      () => Promise.reject(new Error("no such table")),
      () => Promise.reject(new Error("permission denied")),
    );
    const opened = open(driver, {});
    await written(opened, run_rows(opened.source), "1");
    expect(opened.logged).toEqual(["warn the record of a run is lost: database: no such table"]);
  });

  test("holds back 1,000 at the most, and says how many were dropped", async () => {
    const answer = Promise.withResolvers<[]>();
    let asked = 0;
    const driver = answering(
      () => {
        asked += 1;
        return answer.promise;
      },
      async () => undefined,
    );
    const logged: JsonObject[] = [];
    const host = createHost({ env: {}, log: (_level, msg, fields) => logged.push({ msg, ...fields }) });
    const to = run_rows({ name: "main", driver, settings: () => ({}) });
    const { run } = runningAct(host);
    for (let i = 0; i < 1_005; i++) to(run, record(String(i)));
    await new Promise((resolve) => setImmediate(resolve));
    expect([asked, logged]).toEqual([1_000, []]);
    answer.resolve([]);
    await background(host).ended();
    await written({ host }, to, "again");
    expect(asked).toBe(1_001);
    expect(logged).toEqual([{ msg: "records of runs were dropped: their database is too slow", dropped: 5 }]);
    await host.close();
  });
});
