import type pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openHistory } from "#runtime/capture/open.ts";
import { createHost, type Host } from "#runtime/process/host.ts";
import { stateOf } from "#runtime/state/open.ts";
import { runsOf } from "#runtime/store/open-runs.ts";
import { PostgresStore } from "#runtime/store/postgres-store.ts";
import { postgresSteps } from "#runtime/store/schema.ts";
import { failure } from "../../harness/database-run.ts";
import { type OwnSchema, ownSchema } from "../../harness/peers/postgres-schema.ts";
import { server } from "../../harness/peers/postgres-server.ts";
import { starting } from "../../harness/starting.ts";
import { newRun, of } from "./run-stores.ts";

// One database of PostgreSQL: its tables and their versions, lost connections, and batches of which one part fails.

/** The tables as version 0.1.0 has made them. */
const tablesOf010 = `
  CREATE TABLE pw_state (ns text NOT NULL, key text NOT NULL, value jsonb NOT NULL, version bigint NOT NULL, expires_at timestamptz,
    PRIMARY KEY (ns, key)) WITH (fillfactor = 50);
  CREATE TABLE pw_history (seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, org text NOT NULL, env text NOT NULL, run_uuid text NOT NULL,
    parent text, config text NOT NULL, interface text NOT NULL, trigger text NOT NULL, started double precision NOT NULL,
    ms double precision NOT NULL, status integer NOT NULL, record text NOT NULL);
  INSERT INTO pw_state VALUES ('c', 'cursor', '{"id": 7}', 3, NULL);
  INSERT INTO pw_history (org, env, run_uuid, config, interface, trigger, started, ms, status, record)
    VALUES ('local', 'production', 'u', 'c', 'i', 'http', 1, 2, 200, '{"run_uuid":"u"}')`;

describe.runIf(server !== undefined)("postgres", () => {
  let own: OwnSchema;
  let client: pg.Client;
  let schema: string;
  let address: string;
  const hosts: Host[] = [];
  const stores: PostgresStore[] = [];
  const log: string[] = [];
  beforeEach(async () => {
    own = await ownSchema(server ?? "", "store");
    ({ client, name: schema } = own);
    address = own.address.href;
    log.length = 0;
  });
  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.close();
    for (const store of stores.splice(0)) await store.close();
    await own.drop();
  });

  function node(): Host {
    const host = createHost({ env: { PIPEWRIGHT_DATABASE_URL: address }, log: (level, msg) => void log.push(`${level} ${msg}`) });
    hosts.push(host);
    return host;
  }

  function opened(): PostgresStore {
    const store = new PostgresStore(address, (level, msg) => void log.push(`${level} ${msg}`));
    stores.push(store);
    return store;
  }

  const place = { namespace: "c", key: "cursor" };

  test("tables of version 0.1.0 go forward with their data, by nodes that start together", async () => {
    await client.query(tablesOf010);
    const states = Array.from({ length: 5 }, () => stateOf(node()));
    const found = await Promise.all(states.map((state) => state.get(place)));
    expect(found).toEqual(Array.from({ length: 5 }, () => ({ value: { id: 7 }, version: 3 })));
    expect((await openHistory(node()).list({}, 10)).runs).toMatchObject([{ run_uuid: "u", status: 200 }]);
    expect(await runsOf(node()).create(newRun())).toMatchObject({ created: true });
    expect((await client.query("SELECT version FROM pw_schema")).rows).toEqual([{ version: String(postgresSteps.length) }]);
    // A node of that version goes on with what it knows.
    await client.query("UPDATE pw_state SET value = '8', version = version + 1");
    expect(await states[0]?.get(place)).toEqual({ value: 8, version: 4 });
  });

  test("tables that a newer pipewright has changed are refused, and said so in the log alone", async () => {
    expect(await opened().ask("SELECT 1 AS one", [])).toEqual([{ one: "1" }]);
    await client.query("UPDATE pw_schema SET version = 99");
    const host = node();
    expect(await failure(stateOf(host).set(place, 1, {}))).toBe("state: state is not available");
    expect(log[0]).toContain(`error state: the tables of the store have version 99, and this pipewright knows ${postgresSteps.length}:`);
    expect((await client.query("SELECT 1 FROM pw_state")).rows).toEqual([]);
  });

  test.each(["durable: true, actions: []", "actions: [{ name: A, state: { set: { key: a, value: 1 } } }]"])(
    "such tables keep a service from starting: %s",
    async (members) => {
      await opened().ask("SELECT 1", []);
      await client.query("UPDATE pw_schema SET version = 99");
      const config = `name: shop\ninterfaces: { order: { method: POST, ${members} } }`;
      const unmet = await starting(false).unmet(config, { env: { PIPEWRIGHT_DATABASE_URL: address } });
      expect(unmet).toEqual([
        expect.stringContaining(`the tables of the store have version 99, and this pipewright knows ${postgresSteps.length}:`),
      ]);
    },
  );

  test("a user who may not create tables uses those that are there", async () => {
    await opened().ask("SELECT 1", []);
    const role = `${schema}_user`;
    await client.query(`DROP ROLE IF EXISTS ${role}; CREATE ROLE ${role} LOGIN; GRANT USAGE ON SCHEMA ${schema} TO ${role};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role};
      GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${schema} TO ${role}`);
    try {
      const url = new URL(address);
      url.searchParams.set("options", `-c search_path=${schema} -c role=${role}`);
      const host = createHost({ env: { PIPEWRIGHT_DATABASE_URL: url.href } });
      hosts.push(host);
      expect(await stateOf(host).set(place, 1, {})).toBe(1);
      expect(await runsOf(host).create(newRun())).toMatchObject({ created: true });
    } finally {
      for (const host of hosts.splice(0)) await host.close();
      await client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    }
  });

  test("what is refused fails alone: the others of its batch are stored", async () => {
    const store = opened();
    await store.ask("SELECT 1", []);
    const insert = "INSERT INTO pw_nodes (node, session) VALUES ($1, $2::bigint::text)";
    const writes = Array.from({ length: 20 }, (_, n) => store.ask(insert, [`n${n}`, n % 7 === 3 ? "not a number" : n], `node ${n}`));
    const ends = await Promise.allSettled(writes);
    expect(ends.map(({ status }) => status === "fulfilled")).toEqual(ends.map((_, n) => n % 7 !== 3));
    expect((await client.query("SELECT count(*)::int AS count FROM pw_nodes")).rows).toEqual([{ count: 17 }]);
  });

  test("of a step of several statements nothing stays when one fails", async () => {
    const store = opened();
    await store.ask("SELECT 1", []);
    const insert = { text: "INSERT INTO pw_nodes (node, session) VALUES ($1, '')", values: ["x"] };
    await expect(store.unit([insert, { text: "SELECT 1 / $1::int", values: [0] }], "x")).rejects.toThrow("division by zero");
    expect(await store.ask("SELECT count(*) AS count FROM pw_nodes", [])).toEqual([{ count: "0" }]);
  });

  test("a lost connection fails what is under way, never the process, and the next question opens another", async () => {
    const host = node();
    const [state, runs] = [stateOf(host), runsOf(host)];
    await state.set(place, 1, {});
    const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '${schema}' AND pid <> pg_backend_pid()`;
    // Idle ones are replaced.
    await client.query(end);
    const run = newRun({ lease: of("a") });
    await expect.poll(async () => runs.create(run).catch(() => undefined)).toEqual({ id: run.id, created: true, epoch: 1 });
    // A write that waits for a lock is told.
    await client.query("BEGIN");
    await client.query("SELECT 1 FROM pw_state FOR UPDATE");
    const waiting = failure(state.set(place, 2, {}));
    await expect
      .poll(
        async () =>
          (await client.query(`SELECT 1 FROM pg_stat_activity WHERE application_name = '${schema}' AND wait_event_type = 'Lock'`)).rows
            .length,
      )
      .toBe(1);
    await client.query(end);
    await client.query("ROLLBACK");
    expect(await waiting).toBe("state: state is not available");
    await expect.poll(async () => state.set(place, 3, {}).catch(() => undefined)).toBe(2);
    expect(await runs.show(run.id)).toMatchObject({ status: "open", epoch: 1 });
  });

  test("a node whose session is lost has another, and is not taken for gone then", async () => {
    const [one, other] = [runsOf(node()), runsOf(node())];
    const run = newRun({ lease: of("n1") });
    await one.create(run);
    await one.attend("n1");
    expect(await other.expireGone()).toBe(0);
    const session = async (): Promise<string | undefined> =>
      (await client.query<{ session: string }>("SELECT session FROM pw_nodes WHERE node = 'n1'")).rows[0]?.session;
    const first = await session();
    await client.query(
      "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND ((classid::bigint << 32) | objid::bigint) = $1",
      [first],
    );
    await expect.poll(session, { timeout: 20_000 }).not.toBe(first);
    // Between the two sessions others may have taken the node for gone; from now on they do not.
    await one.renew(of("n1"), [{ id: run.id, epoch: 1 }]);
    expect(await other.expireGone()).toBe(0);
    expect(await other.claim(of("n2"), ["p1"], 10)).toEqual([]);
    await one.close();
    await expect.poll(() => other.expireGone()).toBe(1);
    expect(await other.claim(of("n2"), ["p1"], 10)).toMatchObject([{ id: run.id, epoch: 2 }]);
  });

  test("connections without prepared statements, as behind a pooler, do", async () => {
    const host = node();
    const state = stateOf(host);
    expect(await state.set(place, 1, {})).toBe(1);
    const store = opened();
    for (let n = 0; n < 3; n++) {
      expect(await store.ask("SELECT $1::int AS n", [n])).toEqual([{ n: String(n) }]);
      await store.ask("DEALLOCATE ALL", []);
    }
  });

  test("an address that no connection can be made with is refused", () => {
    expect(() => new PostgresStore("postgres://127.0.0.1:1/db?sslMode=verify-full", () => undefined)).toThrow(
      "the address of the store: unknown parameter 'sslMode' of the connection",
    );
  });

  test("an address that does not answer is not quoted", async () => {
    const store = new PostgresStore("postgres://svc:canary-pass@127.0.0.1:1/db", () => undefined);
    const said = await failure(store.ask("SELECT 1", []));
    expect(said).not.toBe("no failure");
    expect(said).not.toContain("canary-pass");
    await store.close();
  });

  test("16 nodes that claim at once get every run once", async () => {
    const many = 400;
    const first = runsOf(node());
    await Promise.all(Array.from({ length: many }, () => first.create(newRun())));
    const nodes = Array.from({ length: 16 }, () => runsOf(node()));
    const claimed: string[] = [];
    await Promise.all(
      nodes.map(async (runs, n) => {
        let isOver = false;
        while (!isOver) {
          const found = await runs.claim(of(`n${n}`), ["p1"], 7);
          claimed.push(...found.map(({ id, epoch }) => `${id} ${epoch}`));
          isOver = found.length === 0 && claimed.length >= many;
        }
      }),
    );
    expect(claimed).toHaveLength(many);
    expect(new Set(claimed).size).toBe(many);
    expect(claimed.every((one) => one.endsWith(" 1"))).toBe(true);
  }, 60_000);
});
