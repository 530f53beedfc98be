import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Dialect } from "#runtime/plan/dialect.ts";
import type { Json } from "../../../runtime/value/json.ts";
import { server } from "../../harness/peers/postgres-server.ts";
import { literally, text } from "./lowered-sql.ts";

const hostile = fc.oneof(
  fc.constantFrom(
    "'",
    "''",
    "\\",
    "\\'",
    "'; DROP TABLE t; --",
    "' OR 1=1 --",
    '"',
    '";--',
    "`",
    "$$",
    "$q$",
    "*/",
    "/*",
    "--",
    "\n",
    "\r",
    "?",
    "$1",
    "a|body::v|",
    "E'",
    "U&'",
    "\\0027",
    "NULL",
    "TRUE",
    "%s",
    "{}",
    "𝕏",
    "\u2028",
    "\u00a0E'",
  ),
  fc.string({ unit: "grapheme" }),
  fc
    .array(fc.constantFrom("'", '"', "\\", "`", "-", "/", "*", "$", ";", "\n", "E", "a", " ", "?"), { maxLength: 12 })
    .map((parts) => parts.join("")),
);
const usable = (value: string): boolean => !value.includes("\0") && value.isWellFormed();

/** A place of a hole, and what must come back from there. */
interface Case {
  readonly query: string;
  readonly back: (value: string) => Json;
}

const bare: Case = { query: "SELECT a|body::v->single_quote| AS v", back: (value) => value };
const typed: Case = { query: "SELECT 1 AS a,a|body::v|AS v", back: (value) => value };
const quoted: Case = { query: "SELECT 'x-a|body::v|a|body::v|-y' AS v", back: (value) => `x-${value}${value}-y` };
const beside: Case = { query: "SELECT 'x'||a|body::v->single_quote|||'y'/* ' */AS v--'", back: (value) => `x${value}y` };
const object: Case = { query: "SELECT a|body::o| AS v", back: (value) => JSON.stringify({ [value]: value }) };

function holds({ query, back }: Case, driver: Dialect, value: string, run: (sql: string) => Json): void {
  const expected = back(value);
  if (expected !== null)
    expect(run(literally(query, driver, { body: { v: value, o: { [value]: value }, l: [value, value] } }))).toEqual(expected);
}

describe("a value never leaves its hole", () => {
  test("in SQLite", () => {
    const db = new DatabaseSync(":memory:");
    const v = (sql: string): Json => String(db.prepare(sql).get()?.v);
    const name = (sql: string): Json => String(db.prepare(sql).columns()[0]?.name);
    const list: Case = {
      query: "SELECT json_array(a|body::l->array_values|) AS v",
      back: (value) => JSON.stringify([value, value]),
    };
    fc.assert(
      fc.property(hostile.filter(usable), (value) => {
        for (const place of [bare, typed, quoted, beside, object, list]) holds(place, "sqlite", value, v);
        holds({ query: 'SELECT 1 AS "n-a|body::v|"', back: (text) => `n-${text}` }, "sqlite", value, name);
        holds({ query: "SELECT 1 AS `n-a|body::v|`", back: (text) => `n-${text}` }, "sqlite", value, name);
      }),
      { numRuns: 500 },
    );
    db.close();
  });

  describe.runIf(server !== undefined)("in PostgreSQL", () => {
    const client = new pg.Client({ connectionString: server });
    beforeAll(async () => {
      await client.connect();
    });
    afterAll(() => client.end());

    const inEscapes: Case = { query: "SELECT E'x\\'a|body::v|\\\\y' AS v", back: (value) => `x'${value}\\y` };
    const goesOn: Case = { query: "SELECT E'x' -- '\n'a|body::v|' AS v", back: (value) => `x${value}` };
    const after: Case = { query: "SELECT 'x'::text||a|body::v->single_quote|::text AS v", back: (value) => `x${value}` };

    test("for every place", async () => {
      await fc.assert(
        fc.asyncProperty(hostile.filter(usable), async (value) => {
          for (const { query, back } of [bare, typed, quoted, beside, object, inEscapes, goesOn, after]) {
            const expected = back(value);
            if (expected === null) continue;
            const sql = literally(query, "postgres", { body: { v: value, o: { [value]: value } } });
            expect((await client.query(sql)).rows[0]?.v).toBe(expected);
          }
          if (Buffer.byteLength(value) > 40) return;
          const sql = text('SELECT 1 AS "n-a|body::v|"', "postgres", { body: { v: value } });
          expect((await client.query(sql)).fields[0]?.name).toBe(`n-${value}`);
        }),
        { numRuns: 300 },
      );
    });
  });
});
