import { afterAll, expect, test } from "vitest";
import { createHost } from "#runtime/process/host.ts";
import type { Json } from "#runtime/value/json.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { evaluate } from "../../harness/evaluate.ts";
import { runOnce } from "../../harness/run-once.ts";

// Data that jq cannot take, since its stack ends, is refused on both paths, also where the printed form of a filter looks at the first
// level alone.

const host = createHost({ env: {} });
afterAll(() => host.close());

const config = planned(`
name: deep
interfaces:
  first: { output: cli, actions: [{ name: A, input: a|body|, post_transforms: [{ extract_with_jq: ".[0] | type" }] }] }
  marked: { output: cli, actions: [{ name: A, json_output: { v: "a|body::jq::length|" } }] }
  valued: { output: cli, actions: [{ name: A, json_output: 1, post_transforms: [{ extract_with_jq: "[a|body|] | length" }] }] }
  logged: { output: cli, log: "got a|body|", actions: [{ name: A, input: a|body|, hide_data_on_success: true }] }
  grown: { output: cli, actions: [{ name: A, json_output: 1, post_transforms: [{ extract_with_jq: "reduce range(3000) as $i (1; [.])" }] }] }
`);

const nested = (levels: number): Json => Array.from({ length: levels }).reduce<Json>((inner) => [inner], 1);

test.each([false, true])("the depth of data and values is bounded (interpret: %s)", async (interpret) => {
  const printed = await evaluate((await printOne(config, { interpret })).code);
  const error = async (name: string, body: Json): Promise<unknown> =>
    (await runOnce(printed, name, { body, raw_body: null }, host)).outcomes[0]?.error ?? null;
  for (const name of ["first", "marked", "valued"]) {
    expect(await error(name, nested(512)), name).toBe(null);
    for (const levels of [513, 2_000, 20_000]) expect(await error(name, nested(levels)), name).toMatch(/jq: value is nested too deeply$/);
    const wide: Json = Array.from({ length: 1_000 }, () => nested(500));
    expect(await error(name, wide), name).toBe(null);
    expect(await error(name, [wide, ...Array(100).fill(nested(511)), nested(512)]), name).toMatch(/jq: value is nested too deeply$/);
  }
  for (const levels of [100, 2_000, 20_000]) expect(await error("logged", nested(levels))).toBe(null);
  expect(await error("grown", null)).toMatch(/nested too deeply|depth/);
});
