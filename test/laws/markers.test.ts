import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { filters } from "#generated/features.ts";
import { roots } from "#runtime/run/marker-roots.ts";
import { isObject, type Json, own } from "#runtime/value/json.ts";
import { findConfigs, findModules } from "../../compiler/1-read/files.ts";
import { type MarkerCase, markerCases } from "../../compiler/gen/reference/marker-cases.ts";
import { planAll, printAll } from "../../compiler/pipeline.ts";
import { complaints } from "../harness/compile.ts";
import { evaluate } from "../harness/evaluate.ts";
import { root } from "../harness/folders.ts";
import { isWanted } from "../harness/rules/words.ts";
import { emptyRequest, runOnce } from "../harness/run-once.ts";
import { stillHost } from "../harness/still-host.ts";

// Law `markers`: every root and filter has an example on its reference page, and the example is true on both paths.

const examples = markerCases(fileURLToPath(root));

const words = {
  roots: Object.keys(roots),
  filters: ["default", "raw", ...Object.keys(filters).filter((name) => filters[name]?.internal !== true)],
};

describe.each(["roots", "filters"] as const)("%s", (page) => {
  const cases = examples[page];

  test("have an example each, and nothing else has one", () => {
    expect([...cases.keys()].sort()).toEqual(words[page].toSorted());
  });

  const asked = [...cases].filter(([name]) => isWanted(page, name));
  const all = asked.flatMap(([name, list]) => list.map((one, i) => [`${name} ${i + 1}`, one] as const));
  test.each(all)("%s", async (_, one) => {
    expect(await dataOf(one, false)).toEqual(one.gives);
    expect(await dataOf(one, true)).toEqual(one.gives);
  });
});

/** Data of the action, printed or walked. */
async function dataOf(one: MarkerCase, interpret: boolean): Promise<Json> {
  const folder = mkdtempSync(join(tmpdir(), "pipewright-markers-"));
  try {
    write(folder, { ...one.files, "config.yaml": configOf(one) });
    const planned = planAll(findConfigs(["."], folder), { modules: findModules(["."], folder) });
    expect(complaints(planned)).toEqual([]);
    const [module] = await printAll(planned, { interpret });
    const host = stillHost({
      env: one.env ?? {},
      variables: one.vars ?? {},
      ...(one.clock === undefined ? {} : { clock: Date.parse(one.clock) }),
    });
    const { body = null, params = {}, headers = {}, ip = {} } = one;
    const request = { ...emptyRequest, body, raw_body: JSON.stringify(body), params, headers, ip };
    const { reply } = await runOnce(await evaluate(module?.code ?? ""), "example", request, host);
    await host.close();
    const envelope: Json = JSON.parse(reply.body);
    const data = isObject(envelope) ? own(envelope, "data") : undefined;
    const action = isObject(data ?? null) ? own(data as Readonly<Record<string, Json>>, "Example") : undefined;
    return isObject(action ?? null) ? (own(action as Readonly<Record<string, Json>>, "data") ?? null) : null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function configOf({ global, before, action, value }: MarkerCase): string {
  const actions = [
    ...(before === undefined ? [] : [{ name: "Before", ...before }]),
    { name: "Example", ...(action ?? { json_output: value }) },
  ];
  return stringify({
    name: "example",
    ...(global === undefined ? {} : { global }),
    interfaces: { example: { method: "POST", show_error_detail: true, actions } },
  });
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}
