import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Config } from "#runtime/run/interface.ts";
import type { Json } from "#runtime/value/json.ts";
import { planned, printOne } from "../harness/compile.ts";
import { evaluate } from "../harness/evaluate.ts";
import { runOnce } from "../harness/run-once.ts";
import { stillHost } from "../harness/still-host.ts";
import { hostile, positionsOf, targets } from "./world.ts";

// Fifty hostile texts in forty positions of a query, on real databases and on both paths: each comes back as data, and nothing else
// happens.

const folder = mkdtempSync(join(tmpdir(), "pipewright-attack-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const table = `canary_${process.pid}`;

describe.each(targets(join(folder, "attack.db")))("$driver", (target) => {
  const positions = positionsOf(target).map(({ query, ...rest }) => ({ ...rest, query: query.replaceAll("canary", table) }));
  const text = JSON.stringify({
    name: "attack",
    global: { databases: { main: { driver: target.driver, conn_string: target.conn_string, max_open_conns: 1 } } },
    interfaces: Object.fromEntries(
      [
        { query: `CREATE TABLE ${table} (id int, secret varchar(20)); INSERT INTO ${table} VALUES (1, 'untouched')` },
        { query: `SELECT id, secret FROM ${table}` },
        { query: `DROP TABLE ${table}` },
        ...positions,
      ].map(({ query, ...rest }, i) => [
        `q${i}`,
        {
          method: "POST",
          actions: [{ name: "Q", database: "main", query, ...("params" in rest ? { params: [...(rest.params ?? [])] } : {}) }],
        },
      ]),
    ),
  });
  const host = stillHost({});
  const configs = new Map<boolean, Config>();
  const ask = async (interpret: boolean, i: number, body: Json): Promise<Json> => {
    const config = configs.get(interpret);
    if (config === undefined) throw new Error("not compiled");
    const { outcomes } = await runOnce(config, `q${i}`, { body }, host);
    const [outcome] = outcomes;
    return outcome?.state === "succeeded" ? outcome.data : `failed: ${outcome?.error}`;
  };
  beforeAll(async () => {
    await target.open();
    for (const interpret of [false, true]) configs.set(interpret, await evaluate((await printOne(planned(text), { interpret })).code));
    expect(await ask(false, 0, null)).toEqual([]);
  });
  afterAll(async () => {
    await ask(false, 2, null);
    await host.close();
    await target.close();
  });

  test.each(positions.map(({ query }, i) => [query, i] as const))("%s", async (_, i) => {
    const gives = positions[i]?.gives ?? ((value: string) => value);
    for (const [at, value] of hostile.entries()) {
      // Every text takes the printed path, and every fourth the interpreted one, too.
      for (const interpret of at % 4 === 0 ? [false, true] : [false]) {
        const rows = await ask(interpret, i + 3, { v: value, list: [value, [value]] });
        expect.soft(Array.isArray(rows) && rows.length === 1 ? rows[0] : rows, JSON.stringify(value)).toMatchObject({ v: gives(value) });
      }
    }
    expect(await ask(false, 1, null)).toEqual([{ id: 1, secret: "untouched" }]);
  });
});
