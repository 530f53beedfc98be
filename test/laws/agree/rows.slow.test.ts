import fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import type { Config } from "#runtime/run/interface.ts";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { evaluate } from "../../harness/evaluate.ts";
import { frozen } from "../../harness/frozen.ts";
import { type Once, runOnce } from "../../harness/run-once.ts";
import { stillHost } from "../../harness/still-host.ts";

// Chains of transforms that are printed as one loop over the rows give the same result as the transforms one after the other, including the
// order of members.

/** Names of members. There are few, so that the steps of a chain use the same ones; some are awkward as members or in code. */
const name = fc.constantFrom("a", "b", "c", "d", "e", "f", "x-y", "constructor", "__proto__", "7", "out", "a.b");
const names = fc.uniqueArray(name, { minLength: 1, maxLength: 2 });
const record = (value: fc.Arbitrary<Json>): fc.Arbitrary<JsonObject> => fc.dictionary(name, value, { maxKeys: 6 });
const scalar = fc.constantFrom<Json>(null, 1, "t", true);
const added = fc.oneof(scalar, fc.constantFrom<Json>("a|body::n|", "a|uuid|", "x a|params::p|", ["l"], { k: 1 }, "a|body::n->hash|"));

const edit: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({ rename_keys: fc.dictionary(name, name, { minKeys: 1, maxKeys: 2 }) }),
  fc.record({ rename_attributes: fc.dictionary(fc.constantFrom("a", "b", "x-y", "c.d"), name, { minKeys: 1, maxKeys: 2 }) }),
  fc.record({ remove_keys: names }),
  fc.record({ remove_attributes: fc.uniqueArray(fc.constantFrom("a", "b", "c.d", "$[0].a"), { minLength: 1 }) }),
  fc.record({ keep_attributes: fc.uniqueArray(fc.constantFrom("a", "b", "c", "x-y", "7", "c.d"), { minLength: 1 }) }),
  fc.record({ add_attribute: record(added).filter((members) => Object.keys(members).length > 0) }),
  fc.record({ return_row: fc.constantFrom(0, 1) }),
);

const operand = fc.oneof(scalar, fc.constant<Json>("a|body::n|"));
const filter: fc.Arbitrary<JsonObject> = fc
  .dictionary(fc.constantFrom("a", "b", "c", "x-y", "7", "a.b", "constructor"), fc.record({ is_not_equal_to: operand }), {
    minKeys: 1,
    maxKeys: 2,
  })
  .map((conditions) => ({ filter: { conditions } }));

/** Lists of edits for parts of the rows. */
const nested: fc.Arbitrary<JsonObject> = fc.record({
  nested_transforms: fc.dictionary(
    fc.constantFrom(".", "$", "$[*]", "a", "$[*].b", "c"),
    fc.array(fc.oneof(edit, edit, filter), { minLength: 1, maxLength: 4 }),
    {
      minKeys: 1,
      maxKeys: 2,
    },
  ),
});
const step = fc.oneof({ weight: 8, arbitrary: edit }, { weight: 2, arbitrary: filter }, { weight: 1, arbitrary: nested });

const chain = fc.array(step, { minLength: 2, maxLength: 5 });
const row = fc.oneof(
  { weight: 4, arbitrary: record(fc.oneof(scalar, fc.constant({ d: 1, e: 2 }))) },
  scalar,
  fc.array(scalar, { maxLength: 2 }),
);
const data = fc.oneof(fc.array(row, { maxLength: 4 }), row);

test("row loops", async () => {
  let loops = 0;
  let nestedLoops = 0;
  const property = fc.asyncProperty(
    fc.array(chain, { minLength: 4, maxLength: 4 }),
    fc.array(data, { minLength: 3, maxLength: 3 }),
    async (chains, bodies) => {
      const actions = chains.map((post_transforms, i) => ({ name: `A${i}`, input: "a|body::data|", post_transforms }));
      const config = { name: "rows", interfaces: { run: { method: "POST", output: "http", show_error_detail: true, actions } } };
      const text = stringify(config, { lineWidth: 0, aliasDuplicateObjects: false });
      const plan = planned(text);
      const { code } = await printOne(plan);
      nestedLoops += (code.match(/^ {8}data = pw\.eachRow\(/gm) ?? []).length;
      loops += code.split(/eachRow\(/).length - 1;
      const printed = await evaluate(code);
      const walked = await evaluate((await printOne(plan, { interpret: true })).code);
      for (const body of bodies) expect(await sent(printed, body), text).toEqual(await sent(walked, body));
    },
  );
  await fc.assert(property, { numRuns: 150 });
  // A low limit, because few of the chains have two steps that one loop can take.
  expect(loops).toBeGreaterThan(20);
  expect(nestedLoops).toBeGreaterThan(1);
});

/** Columns of a query: some of the names that the chains use, in any order. */
const columns = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e", "f", "x-y"), { minLength: 1, maxLength: 6 });

test("rows whose columns the query names", async () => {
  let literals = 0;
  const property = fc.asyncProperty(
    fc.array(fc.tuple(columns, chain), { minLength: 4, maxLength: 4 }),
    fc.array(fc.array(scalar, { minLength: 6, maxLength: 6 }), { maxLength: 3 }),
    async (queries, values) => {
      const actions = queries.map(([names, post_transforms], i) => ({
        name: `A${i}`,
        database: "main",
        query: `WITH v(${letters}) AS (SELECT null, null, null, null, null, null WHERE 0 ${values.map(selected).join("")}) SELECT ${names.map(column).join(", ")} FROM v`,
        post_transforms,
      }));
      const global = { databases: { main: { driver: "sqlite", conn_string: "sqlite::memory:" } } };
      const config = { name: "rows", global, interfaces: { run: { method: "POST", output: "http", show_error_detail: true, actions } } };
      const text = stringify(config, { lineWidth: 0, aliasDuplicateObjects: false });
      const plan = planned(text);
      const { code } = await printOne(plan);
      literals += code.split(/^ +literal: /m).length - 1;
      const answers = await Promise.all(
        [code, (await printOne(plan, { interpret: true })).code].map(async (each) => sent(await evaluate(each), {})),
      );
      expect(answers[0], text).toEqual(answers[1]);
      expect(JSON.stringify(answers[0]?.reply), text).not.toContain("database:");
    },
  );
  await fc.assert(property, { numRuns: 150 });
  // A low limit, because few of the chains become loops, and some queries return no row.
  expect(literals).toBeGreaterThan(10);
});

const letters = "c0, c1, c2, c3, c4, c5";

const selected = (row: readonly Json[]): string =>
  ` UNION ALL SELECT ${row.map((value) => JSON.stringify(value)?.replaceAll('"', "'")).join(", ")}`;

const column = (name: string, i: number): string => `c${i} AS "${name}"`;

/** Runs one request with these data in its body. The body of the reply is text, so that the order of members is compared, too. */
async function sent(config: Config, body: Json): Promise<Once> {
  const host = stillHost({ clock: Date.UTC(2024, 1, 29), env: {}, variables: {} });
  const request = { body: frozen({ data: body, n: 5 }), raw_body: "", params: { p: "1" }, headers: {}, ip: {} };
  try {
    return await runOnce(config, "run", request, host);
  } finally {
    await host.close();
  }
}
