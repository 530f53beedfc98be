import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Json } from "#runtime/value/json.ts";
import { server } from "../harness/peers/postgres-server.ts";
import { type Got, send, stub } from "../harness/sockets.ts";
import { packFolder } from "./packs.ts";
import { ask } from "./played/calls.ts";
import { rowCounts, type Service, serving, type Way, type World, ways } from "./played/serving.ts";
import { command, postgresWorld, sqliteWorld } from "./played/worlds.ts";

// A service that others depend on goes away while it runs: the caller gets the documented error, the process lives, and later calls succeed
// again.

const users = { method: "GET", path: "/api/users" } as const;
const newPost = { method: "POST", path: "/api/posts/create", body: { user_id: 1, title: "During the outage" } } as const;

async function seeded<W extends World>(open: () => Promise<W>, way: Way): Promise<{ world: W; service: Service }> {
  const world = await open();
  const service = await serving(world.texts, way, { variables: world.variables });
  onTestFinished(async () => {
    await service.close();
    await world.close();
  });
  await ask(service.url, { method: "POST", path: "/api/seed" });
  return { world, service };
}

/** The database's own words are for the log alone. */
function expectFailed({ status, text }: Got, action: string, service: Service, reason: RegExp): void {
  expect([status, JSON.parse(text).data[action].error]).toEqual([500, "action failed"]);
  expect(service.log.some((line) => line.startsWith("error PW906 database: ") && reason.test(line))).toBe(true);
  expect(service.log.join("\n")).not.toMatch(/critical|postgres:\/\//);
}

describe.skipIf(packFolder("rest-api-starter") === undefined || server === undefined).each(ways)("PostgreSQL, %s", (way) => {
  const others = (name: string) => `FROM pg_stat_activity WHERE datname = '${name}' AND pid <> pg_backend_pid()`;
  const endSessions = ({ name }: { name: string }) => command(server ?? "", `SELECT pg_terminate_backend(pid, 5000) ${others(name)}`);

  test("idle sessions end: nobody notices", async () => {
    const { world, service } = await seeded(() => postgresWorld(server ?? ""), way);
    expect((await endSessions(world)).length).toBeGreaterThan(0);
    expect((await ask(service.url, users)).status).toBe(200);
    expect((await ask(service.url, newPost)).status).toBe(200);
  });

  test("the session of a query under way ends: that call fails", async () => {
    const { world, service } = await seeded(() => postgresWorld(server ?? ""), way);
    const blocker = new pg.Client({ connectionString: String(world.variables.DATABASE_URL) });
    await blocker.connect();
    await blocker.query("BEGIN; LOCK TABLE users");
    const waiting = ask(service.url, users);
    const stuck = `${others(world.name)} AND wait_event_type = 'Lock'`;
    await until(async () => (await command(server ?? "", `SELECT 1 ${stuck}`)).length === 1);
    await command(server ?? "", `SELECT pg_terminate_backend(pid) ${stuck}`);
    expectFailed(await waiting, "ListUsers", service, /terminating connection/);
    await blocker.query("ROLLBACK");
    await blocker.end();
    expect((await ask(service.url, users)).status).toBe(200);
  });

  test("the database refuses everybody for a while: calls fail, /readyz says so, /livez does not", async () => {
    const { world, service } = await seeded(() => postgresWorld(server ?? ""), way);
    await command(server ?? "", `ALTER DATABASE ${world.name} ALLOW_CONNECTIONS false`);
    await endSessions(world);
    expectFailed(await ask(service.url, users), "ListUsers", service, /not currently accepting connections/);
    const ready = await send(service.url, "/readyz");
    expect([ready.status, JSON.parse(ready.text)]).toMatchObject([503, { status: "unready" }]);
    expect(service.log.join()).toContain("database main of RestApiUsers");
    expect((await send(service.url, "/livez")).status).toBe(200);
    await command(server ?? "", `ALTER DATABASE ${world.name} ALLOW_CONNECTIONS true`);
    expect((await ask(service.url, users)).status).toBe(200);
    expect((await send(service.url, "/readyz")).status).toBe(200);
  });
});

describe.skipIf(packFolder("sqlite-rest-api-starter") === undefined).each(ways)("SQLite, %s", (way) => {
  test("another process holds the file: writes fail after a while, reads do not", async () => {
    const { world, service } = await seeded(sqliteWorld, way);
    const other = new DatabaseSync(world.file);
    other.exec("BEGIN IMMEDIATE");
    expect((await ask(service.url, users)).status).toBe(200);
    expectFailed(await ask(service.url, newPost), "CreatePost", service, /database is locked/);
    other.exec("ROLLBACK");
    other.close();
    expect((await ask(service.url, newPost)).status).toBe(200);
    expect(await rowCounts(world)).toEqual([3, 6, 5]);
  });

  test("the tables are gone: calls fail until the next seed", async () => {
    const { world, service } = await seeded(sqliteWorld, way);
    await world.apply("DROP TABLE comments; DROP TABLE posts; DROP TABLE users");
    expectFailed(await ask(service.url, users), "ListUsers", service, /no such table: users/);
    expect((await ask(service.url, { method: "POST", path: "/api/seed" })).status).toBe(200);
    expect((await ask(service.url, users)).status).toBe(200);
  });
});

/** One interface a way of answering; every one of them calls the same upstream. */
const calling = `
name: calling
interfaces:
  plain: { method: GET, actions: [{ name: Call, http: { url: a|env::UPSTREAM|/a|params::what|, timeout: 2s } }] }
  inherits: { method: GET, response: { http_code_inherit_error: [Call] }, actions: [{ name: Call, http: { url: a|env::UPSTREAM|/a|params::what|, timeout: 2s } }] }
  falls:
    method: GET
    actions:
      - { name: Call, http: { url: a|env::UPSTREAM|/a|params::what|, timeout: 2s } }
      - { name: Instead, run_when_failed: [Call], input: instead }
`;

describe.each(ways)("an upstream, %s", (way) => {
  const outages: readonly (readonly [what: string, error: string, inherited: number])[] = [
    ["500", "http status 500 is not in expect_status (2xx, 304); to accept it set expect_status: [2xx, 500]", 500],
    ["404", "http status 404 is not in expect_status (2xx, 304); to accept it set expect_status: [2xx, 404]", 404],
    ["hangs-up", "action failed", 502],
    ["cut", "action failed", 502],
    ["silent", "http timeout after 2000ms", 504],
    ["good", "", 200],
  ];

  test("each failure has its text and its status, and a good answer follows", async () => {
    const upstream = await stub((response, { url = "" }) => {
      const what = url.slice(1);
      if (what === "hangs-up") response.socket?.destroy();
      else if (what === "cut") response.writeHead(200, { "content-length": "100" }).write("{", () => response.socket?.destroy());
      else if (what === "good") response.end("fine");
      else if (what !== "silent") response.writeHead(Number(what)).end();
    });
    const service = await serving([{ file: "calling.yml", text: calling }], way, { env: { UPSTREAM: upstream.url } });
    onTestFinished(async () => {
      await service.close();
      await upstream.close();
    });
    for (const [what, error, inherited] of outages) {
      const [plain, inherits, falls] = await Promise.all(
        ["plain", "inherits", "falls"].map((name) => send(service.url, `/${name}?what=${what}`)),
      );
      const expected = error === "" ? undefined : error;
      expect([plain?.status, callOf(plain).error], what).toEqual([error === "" ? 200 : 500, expected]);
      expect([inherits?.status, callOf(inherits).error], what).toEqual([inherited, expected]);
      expect(falls?.status, what).toBe(200);
    }
    expect(service.log.join("\n")).not.toContain("critical");
  });
});

const callOf = (got: Got | undefined): { readonly error?: Json } => JSON.parse(got?.text ?? "").data.Call;

/** Waits for something that another process does. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error("it has not happened within 10 s");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
