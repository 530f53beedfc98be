import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { postgres } from "../../../runtime/features/actions/database/postgres.ts";
import { elementOf, firstUserType, readerOf } from "../../../runtime/features/actions/database/postgres-types.ts";
import type { Json } from "../../../runtime/value/json.ts";
import { type Session, session } from "../../harness/database-run.ts";
import { server } from "../../harness/peers/postgres-server.ts";

const schema = `pipewright_arrays_${process.pid}`;

test.each<[string, Json]>([
  ["{}", []],
  ["{{}}", [[]]],
  ['[0:1]={"a\\\\","\\""}', ["a\\", '"']],
  ['{null,"null",NULL,nulls, x }', [null, "null", null, "nulls", " x "]],
  ['{"{}","a,b",{c}}', ["{}", "a,b", ["c"]]],
])("the text %s", (text, expected) => {
  expect(readerOf(1009)(text)).toEqual(expected);
});

test("a long element is read", () => {
  const long = 3_000_000;
  // The text of `array[jsonb_build_object('a', repeat('"', 3000000))]`.
  const text = `{"{\\"a\\": \\"${'\\\\\\"'.repeat(long)}\\"}"}`;
  expect(readerOf(3807)(text)).toEqual([{ a: '"'.repeat(long) }]);
  expect(readerOf(1009)(`{${"a".repeat(20_000_000)},b}`)).toEqual(["a".repeat(20_000_000), "b"]);
});

describe.runIf(server !== undefined)("arrays of postgres", () => {
  let main: Session;
  const query: Session["query"] = (...args) => main.query(...args);

  beforeAll(async () => {
    main = session(postgres, { conn_string: `${server}?options=${encodeURIComponent(`-c search_path=${schema}`)}` });
    await query(`CREATE SCHEMA ${schema}`);
    await query(`CREATE DOMAIN age AS int4; CREATE DOMAIN old AS age; CREATE DOMAIN ages AS int4[]; CREATE DOMAIN older AS ages;
      CREATE TYPE mood AS ENUM ('ok', 'sad'); CREATE DOMAIN moods AS mood[]; CREATE TYPE pair AS (a int, b text)`);
  });

  afterAll(async () => {
    await query(`DROP SCHEMA ${schema} CASCADE`);
    await main.host.close();
  });

  test.each<[string, Json]>([
    ["ARRAY['pg_class'::regclass]", ["pg_class"]],
    ["ARRAY['int4'::regtype]", ["integer"]],
    ["ARRAY['0/1'::pg_lsn]", ["0/1"]],
    ["ARRAY[polygon '((0,0),(1,1))']", ["((0,0),(1,1))"]],
    ["ARRAY[path '((0,0),(1,1))', NULL]", ["((0,0),(1,1))", null]],
    ["ARRAY[lseg '((0,0),(1,1))']", ["[(0,0),(1,1)]"]],
    ["ARRAY['{[1,2),[5,6)}'::int4multirange]", ["{[1,2),[5,6)}"]],
    ["ARRAY[ROW(1, 'a')]", ["(1,a)"]],
    ["ARRAY[box '(0,0),(1,1)']", "{(1,1),(0,0)}"],
    ["ARRAY[5]::age[]", [5]],
    ["ARRAY[5]::old[]", [5]],
    ["5::old", 5],
    ["ARRAY[1, 2]::older", [1, 2]],
    ["ARRAY[ARRAY[1, 2]::ages, NULL]::ages[]", [[1, 2], null]],
    ["ARRAY[ARRAY[1, 2]::older]::older[]", [[1, 2]]],
    ["ARRAY[ARRAY['ok', 'sad']::mood[]::moods]::moods[]", [["ok", "sad"]]],
    ["ARRAY[ROW(1, 'a,b')::pair]", ['(1,"a,b")']],
    [
      "(SELECT array_agg(column_name) FROM information_schema.columns WHERE table_name = 'pg_range' AND column_name = 'rngtypid')",
      ["rngtypid"],
    ],
  ])("%s", async (sql, expected) => {
    for (let i = 0; i < 2; i++) expect(await query(`SELECT ${sql} AS v`)).toEqual([{ v: expected }]);
  });

  test("every array type of the server is known", async () => {
    const types = await query(
      `SELECT a.oid, e.oid AS element FROM pg_type a JOIN pg_type e ON e.typarray = a.oid
        WHERE a.oid < $1 AND e.typtype <> 'c' AND e.typdelim = ',' AND e.typname <> 'cstring' ORDER BY 1`,
      [firstUserType],
    );
    const rows = types as { oid: number; element: number }[];
    expect(rows.length).toBeGreaterThan(60);
    expect(rows.filter(({ oid, element }) => elementOf(oid) !== element)).toEqual([]);
  });
});
