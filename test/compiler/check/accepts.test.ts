import { expect, test } from "vitest";
import type { Validator } from "#runtime/languages/schema/findings.ts";
import { openApi } from "../../../compiler/openapi/index.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { evaluate } from "../../harness/evaluate.ts";

// The schema of `accepts` as code: what the fixture test/fixtures/interfaces/accepts-enforced does not show.

/** The validator of a schema, as its module has it. */
async function validator(schema: unknown): Promise<Validator> {
  const config = `name: t\ninterfaces:\n  order: { method: POST, accepts: { enforce: true, schema: ${JSON.stringify(schema)} } }`;
  const { code } = await printOne(planned(config));
  const { interfaces } = await evaluate(
    `${code.replace("export const config", "const _config")}\nexport const config = { interfaces: [order_accepts] };`,
  );
  return interfaces[0] as unknown as Validator; // the line above puts it there
}

test("keeps a thousand findings of a body that is wrong everywhere", async () => {
  const tree = await validator({
    $ref: "#/$defs/t",
    $defs: { t: { type: "object", properties: { kids: { items: { $ref: "#/$defs/t" } } } } },
  });
  expect(tree({ kids: Array.from({ length: 200_000 }, () => 1) })).toBe(false);
  expect(tree.errors?.length).toBe(1000);
});

test("decides alternatives whose findings it does not keep", async () => {
  const either = await validator({ type: "array", items: { anyOf: [{ items: { type: "string" } }, { items: { type: "number" } }] } });
  const numbers = Array.from({ length: 3000 }, (_, i) => i);
  expect(either([numbers, numbers, ["a"]])).toBe(true);
  expect(either([numbers, [...numbers, "a"], [null]])).toBe(false);
  expect(either.errors?.flat().at(-1)?.instancePath).toMatch(/^\/1/);
});

test("reads members that an object only inherits as missing, and fractions as they are written", async () => {
  const own = await validator({ required: ["constructor"], properties: { price: { multipleOf: 0.01 } } });
  expect(own({ price: 19.99 })).toBe(false);
  expect(own(JSON.parse('{"constructor": 1, "price": 19.99}'))).toBe(true);
  expect(own({ constructor: 1, price: 19.999 })).toBe(false);
});

test("a module without enforce carries nothing of it", async () => {
  const { code } = await printOne(planned("name: t\ninterfaces:\n  t: { method: POST, accepts: { schema: { type: object } } }"));
  expect(code).not.toContain("accepts");
});

test("documents the status 422", () => {
  const { plans } = planned(
    "name: t\ndocs: true\ninterfaces:\n  t: { method: POST, accepts: { enforce: true, schema: { type: object } } }",
  );
  const { paths } = openApi(plans) as { paths: Record<string, { post: { responses: object } }> };
  expect(Object.keys(paths["/t"]?.post.responses ?? {})).toContain("422");
});
