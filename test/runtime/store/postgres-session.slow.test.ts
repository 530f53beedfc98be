import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import pg from "pg";
import { expect, test } from "vitest";
import { openPool } from "#runtime/features/actions/database/postgres.ts";
import { readSettings } from "#runtime/features/actions/database/settings.ts";
import { PostgresSession } from "#runtime/store/postgres-session.ts";
import { server } from "../../harness/peers/postgres-server.ts";
import { until } from "../../harness/until.ts";

// The session by which others see that a node lives (spec/surfaces 14).

/** A way to the server that can fall silent: then bytes are lost, and neither end is told. */
async function firewall(to: URL) {
  const sockets = new Set<Socket>();
  const ways: { isSilent: boolean }[] = [];
  const relay = createServer((near) => {
    const far = connect(Number(to.port || 5432), to.hostname);
    const way = { isSilent: false };
    ways.push(way);
    for (const [from, into] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("error", () => undefined);
      from.on("data", (bytes) => void (way.isSilent || into.write(bytes)));
      from.on("close", () => void (way.isSilent || into.destroy()));
    }
  });
  await once(relay.listen(0, "127.0.0.1"), "listening");
  const address = new URL(to);
  address.hostname = "127.0.0.1";
  address.port = String((relay.address() as AddressInfo).port); // it listens on an address
  return {
    address: address.href,
    ways,
    close: () => {
      for (const socket of sockets) socket.destroy();
      relay.close();
    },
  };
}

test.skipIf(server === undefined)("a session that has fallen silent is noticed, and another takes its place", async () => {
  const to = new URL(server ?? "");
  const admin = new pg.Client({ connectionString: to.href });
  await admin.connect();
  const name = `pipewright_session_${process.pid}`;
  await admin.query(`CREATE DATABASE ${name}`);
  to.pathname = `/${name}`;
  const between = await firewall(to);
  const settings = { ...readSettings({ conn_string: between.address }), max_open_conns: 1 };
  const told: boolean[] = [];
  const log = (): void => undefined;
  const session = new PostgresSession(
    () => openPool(settings, log),
    "node",
    (isSeen) => void told.push(isSeen),
    100,
  );
  const tables = new pg.Client({ connectionString: to.href });
  await tables.connect();
  try {
    await tables.query("CREATE TABLE pw_nodes (node text PRIMARY KEY, session text NOT NULL)");
    const lockOf = async () => (await tables.query("SELECT session FROM pw_nodes")).rows[0]?.session;
    await session.open();
    const first = await lockOf();
    for (const way of between.ways) way.isSilent = true;
    await until(async () => expect(await lockOf()).not.toBe(first));
    await until(() => expect(told).toEqual([false, true]));
    const held = "SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND ((classid::bigint << 32) | objid::bigint) = $1";
    expect((await tables.query(held, [await lockOf()])).rows).toEqual([{ n: 1 }]);
  } finally {
    await session.close();
    between.close();
    await tables.end();
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  }
});
