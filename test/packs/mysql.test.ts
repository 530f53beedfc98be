import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Json } from "#runtime/value/json.ts";
import { administer, mysqlServer } from "../harness/peers/mysql-server.ts";
import { type Got, send } from "../harness/sockets.ts";
import { until } from "../harness/until.ts";
import { packFolder } from "./packs.ts";
import { ask, type Call, comparable, expectPromised, gated, tested, untested } from "./played/calls.ts";
import { type Service, serving, type Way, type World, ways } from "./played/serving.ts";
import { mysqlWorld } from "./played/worlds.ts";

// The calls of the README of mysql-crud, bad input and outages, on both ways against a real server.

const pack = "mysql-crud";
const none = untested([]);
const json = untested;

const seed = { method: "POST", path: "/api/seed" } as const;
const create = (body: Json): Pick<Call, "method" | "path" | "body"> => ({ method: "POST", path: "/products/create", body });
const update = (body: Json): Pick<Call, "method" | "path" | "body"> => ({ method: "PUT", path: "/products/update", body });
const list = (query = ""): Pick<Call, "method" | "path"> => ({ method: "GET", path: `/products/list${query}` });
const remove = (query = ""): Pick<Call, "method" | "path"> => ({ method: "DELETE", path: `/products/delete${query}` });

/** The answer of `products/list`: newest first, prices as numbers. */
const listed = (query: Json, ...rows: readonly (readonly [id: number, name: string, price: number])[]) => ({
  ReadQuery: untested(query),
  ListProducts: untested(rows.map(([id, name, price]) => ({ id, name, price }))),
});

const calls: readonly Call[] = [
  {
    ...{ does: "seeds", ...seed },
    gives: { CreateProductsTable: {}, ClearProducts: {}, SeedProducts: {}, Respond: json({ status: "seeded", products: 2 }) },
  },
  { ...{ does: "lists all", ...list() }, gives: listed({}, [2, "Gadget", 19.95], [1, "Widget", 9.99]) },
  { ...{ does: "lists a page", ...list("?limit=1&offset=1") }, gives: listed({ limit: "1", offset: "1" }, [1, "Widget", 9.99]) },
  {
    ...{ does: "creates", ...create({ name: "Bolt \\ 'x' ü𝕏", price: 0.5 }) },
    gives: {
      ReadBody: tested({ name: "Bolt \\ 'x' ü𝕏", price: 0.5 }),
      InsertProduct: none,
      Respond: json({ status: "created" }),
    },
  },
  {
    ...{ does: "updates", ...update({ id: 3, name: "Bolt", price: "1.25" }) },
    gives: { ReadBody: tested({ id: 3, name: "Bolt", price: "1.25" }), UpdateProduct: none, Respond: json({ status: "updated" }) },
  },
  { ...{ does: "shows the change", ...list("?limit=1") }, gives: listed({ limit: "1" }, [3, "Bolt", 1.25]) },
  {
    ...{ does: "deletes", ...remove("?id=3") },
    gives: { ReadQuery: tested({ id: "3" }), DeleteProduct: none, Respond: json({ status: "deleted" }) },
  },
  { ...{ does: "has deleted", ...list() }, gives: listed({}, [2, "Gadget", 19.95], [1, "Widget", 9.99]) },
  {
    ...{ does: "refuses an empty name", ...create({ name: "", price: 1 }), status: 400 },
    gives: {
      ReadBody: { data: { name: "", price: 1 }, error: "name and price are required" },
      InsertProduct: gated("ReadBody"),
      Respond: gated("InsertProduct"),
    },
  },
  {
    ...{ does: "refuses a change without id", ...update({ name: "x", price: 1 }), status: 400 },
    gives: {
      ReadBody: { data: { name: "x", price: 1 }, error: "id, name and price are required" },
      UpdateProduct: gated("ReadBody"),
      Respond: gated("UpdateProduct"),
    },
  },
  {
    ...{ does: "refuses to delete nothing in particular", ...remove(), status: 400 },
    gives: {
      ReadQuery: { data: {}, error: "id is required" },
      DeleteProduct: gated("ReadQuery"),
      Respond: gated("DeleteProduct"),
    },
  },
];

const hostile = ["1 OR 1=1", "1; DROP TABLE products", "' OR '1'='1", "\\' OR 1=1 -- ", "1) UNION SELECT 1,2,3 -- ", "`", "/*", "#", "?"];

/**
 * Values that the server cannot use: the action fails, and says no more than that. Where the server compares numbers it reads as many
 * digits of a text as there are: that is a matter of the server, and none of SQL inside a value.
 */
const bad: readonly {
  readonly what: string;
  readonly call: Pick<Call, "method" | "path" | "body">;
  readonly status: number;
  readonly failing?: string;
}[] = [
  { what: "a price that is no number", call: create({ name: "x", price: "cheap" }), status: 500, failing: "InsertProduct" },
  {
    what: "a price that is SQL",
    call: create({ name: "x", price: "1); DROP TABLE products; -- " }),
    status: 500,
    failing: "InsertProduct",
  },
  { what: "a price beyond the column", call: create({ name: "x", price: 1e30 }), status: 500, failing: "InsertProduct" },
  { what: "a name beyond the column", call: create({ name: "x".repeat(300), price: 1 }), status: 500, failing: "InsertProduct" },
  { what: "a page that is no number", call: list("?limit=x"), status: 200 },
  { what: "a page that is SQL", call: list("?limit=1%20UNION%20SELECT%201"), status: 200 },
  { what: "a negative page", call: list("?limit=-1"), status: 200 },
  { what: "no body", call: { method: "POST", path: "/products/create" }, status: 400 },
  { what: "a body that is a list", call: create([]), status: 400 },
  ...["x", "' OR ''='", "--", "*"].map((id) => ({ what: `to delete ${id}`, call: remove(`?id=${encodeURIComponent(id)}`), status: 200 })),
  { what: "to change an object", call: update({ id: { $gt: 0 }, name: "x", price: 1 }), status: 200 },
];

describe.skipIf(packFolder(pack) === undefined || mysqlServer === undefined)(pack, () => {
  const shown: Record<Way, string[]> = { compiled: [], interpreted: [] };

  describe.each(ways)("%s", (way) => {
    let world: World & { readonly name: string; readonly password: string };
    let service: Service;
    beforeAll(async () => {
      world = await mysqlWorld(mysqlServer ?? "");
      service = await serving(world.texts, way, { variables: world.variables });
    });
    afterAll(async () => {
      await service?.close();
      await world?.close();
    });

    test.each(calls)("$does", async (call) => {
      const got = await ask(service.url, call);
      expectPromised(call, got);
      shown[way].push(comparable(got));
    });

    test.each(bad)("$what: $status", async ({ call, status, failing }) => {
      const got = await ask(service.url, call);
      expect(got.status, got.text).toBe(status);
      if (failing !== undefined) expect(JSON.parse(got.text).data[failing].error).toBe("action failed");
      shown[way].push(comparable(got));
      await expectUnhurt(got);
    });

    test.each(hostile)("what looks like SQL is a name: %s", async (name) => {
      expect((await ask(service.url, create({ name, price: 1 }))).status).toBe(200);
      const [newest] = JSON.parse((await ask(service.url, list("?limit=1"))).text).data.ListProducts.data;
      expect(newest.name).toBe(name);
      expect((await ask(service.url, remove(`?id=${newest.id}`))).status).toBe(200);
      await expectUnhurt({ status: 200, headers: {}, text: "" });
    });

    test("sessions end while nobody uses them: nobody notices", async () => {
      expect((await killAll(world.name)).length).toBeGreaterThan(0);
      expect((await ask(service.url, list())).status).toBe(200);
    });

    test("the session of a query under way ends: that call fails", async () => {
      await ask(service.url, list());
      const waiting = lockedOut(world.name, () => ask(service.url, create({ name: "late", price: 1 })));
      const got = await waiting;
      expect([got.status, JSON.parse(got.text).data.InsertProduct.error]).toEqual([500, "action failed"]);
      expect((await ask(service.url, list())).status).toBe(200);
    });

    test("the server refuses everybody for a while: calls fail, /readyz says so, and both recover", async () => {
      await administer(`ALTER USER ${world.name} ACCOUNT LOCK`);
      onTestFinished(async () => void (await administer(`ALTER USER ${world.name} ACCOUNT UNLOCK`)));
      await killAll(world.name);
      const got = await ask(service.url, list());
      expect([got.status, JSON.parse(got.text).data.ListProducts.error]).toEqual([500, "action failed"]);
      const ready = await send(service.url, "/readyz");
      expect([ready.status, ready.text]).toEqual([503, '{"status":"unready"}']);
      expect((await send(service.url, "/livez")).status).toBe(200);
      await administer(`ALTER USER ${world.name} ACCOUNT UNLOCK`);
      expect((await ask(service.url, list())).status).toBe(200);
      expect((await send(service.url, "/readyz")).status).toBe(200);
    });

    test("the log names the reasons, and no secret", () => {
      const log = service.log.join("\n");
      expect(log).toMatch(/error PW906 database: .*Incorrect decimal value/);
      expect(log).toMatch(/error PW906 database: .*account is locked/i);
      expect(log).not.toMatch(/critical|mysql:\/\//);
      expect(log).not.toContain(world.password);
    });

    /** Nothing of the inside is shown, and no product was changed, added or lost. */
    async function expectUnhurt(got: Got): Promise<void> {
      expect(got.text).not.toMatch(/SQLSTATE|syntax|INSERT|mysql|column|\n\s+at |\.ya?ml/);
      expect(await world.look("SELECT id, name FROM products ORDER BY id")).toEqual([
        { id: 1, name: "Widget" },
        { id: 2, name: "Gadget" },
      ]);
    }
  });

  test("both ways give the same answers", () => {
    expect(shown.compiled).toHaveLength(calls.length + bad.length);
    expect(shown.interpreted).toEqual(shown.compiled);
  });
});

/** Ends every session of the user; gives their ids. */
async function killAll(user: string): Promise<readonly unknown[]> {
  const sessions = await administer(`SELECT ID FROM information_schema.PROCESSLIST WHERE USER = '${user}'`);
  for (const { ID } of sessions) await administer(`KILL ${ID}`).catch(() => undefined);
  for (let i = 0; i < 200; i++) {
    if ((await administer(`SELECT 1 AS n FROM information_schema.PROCESSLIST WHERE USER = '${user}'`)).length === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return sessions;
}

/** Makes a call that has to wait for a lock, and ends its session meanwhile. */
async function lockedOut(name: string, call: () => Promise<Got>): Promise<Got> {
  const lock = administer("LOCK TABLES products WRITE; SELECT SLEEP(60)", name).catch(() => undefined);
  const locking = await sessionOf(`DB = '${name}' AND STATE = 'User sleep'`);
  const waiting = call();
  await administer(`KILL ${await sessionOf(`USER = '${name}' AND STATE LIKE 'Waiting%'`)}`);
  const got = await waiting;
  await administer(`KILL ${locking}`);
  await lock;
  return got;
}

/** The id of the session that is in such a state, once there is one. */
const sessionOf = (state: string): Promise<unknown> =>
  until(async () => {
    const [found] = await administer(`SELECT ID FROM information_schema.PROCESSLIST WHERE ${state}`);
    if (found === undefined) throw new Error(`no session is in the state ${state}`);
    return found.ID;
  });
