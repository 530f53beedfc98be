import { existsSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HttpTrigger } from "#runtime/triggers/http.ts";
import { bundled } from "../../harness/bundled.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { evaluate } from "../../harness/evaluate.ts";
import { fixtureFile, fixturesOf, readFixture, wantedFixtures } from "../../harness/folders.ts";
import { judge } from "../../harness/judge.ts";
import { type Linked, type Performance, type Stage, stage } from "../../harness/performance.ts";
import { readScenario } from "../../harness/scenario.ts";
import { type PathName, paths, update } from "../../harness/words.ts";

// Each test/fixtures/interfaces/<name>: config.yaml is printed as expected.ts, and answers the requests of requests.yaml alike on every path.

const names = wantedFixtures("interfaces");
const configOf = (name: string): string => readFixture("interfaces", name, "config.yaml");

test.each(fixturesOf("interfaces"))("%s is a whole fixture", (name) => {
  for (const file of ["config.yaml", "requests.yaml"]) expect(existsSync(fixtureFile("interfaces", name, file)), file).toBe(true);
  // The bundle of all fixtures finds them by name.
  expect(planned(configOf(name)).plans.map((plan) => plan.name)).toEqual([name]);
});

let inBundle: (name: string) => Linked;
beforeAll(async () => {
  if (!paths.includes("bundle")) return;
  inBundle = await bundled(names.map((name) => ({ file: `${name}.yaml`, text: configOf(name) })));
});

describe.each(names)("%s", (name) => {
  const plan = planned(configOf(name));
  const scenario = readScenario(name);
  const performances = new Map<PathName, Performance>();
  let world: Stage;
  beforeAll(async () => {
    world = await stage(scenario);
  });
  afterAll(() => world.close());

  const linkedBy: Readonly<Record<PathName, () => Promise<Linked>>> = {
    walk: async () => ({ config: await evaluate((await printOne(plan, { interpret: true })).code), HttpTrigger }),
    print: async () => ({ config: await evaluate((await printOne(plan)).code), HttpTrigger }),
    bundle: async () => inBundle(name),
  };

  test("is printed as expected.ts", async () => {
    const { code } = await printOne(plan);
    const file = fixtureFile("interfaces", name, "expected.ts");
    if (update) writeFileSync(file, code);
    expect(code).toBe(existsSync(file) ? readFixture("interfaces", name, "expected.ts") : "");
  });

  test.each(paths)("%s", async (path) => {
    const performance = await world.perform(await linkedBy[path]());
    performances.set(path, performance);
    for (const [i, request] of scenario.requests.entries()) {
      const shown = performance.requests[i];
      if (shown === undefined) throw new Error("a request was not sent");
      const { expected, found } = judge(request, shown);
      expect.soft(found, request.name).toEqual(expected);
    }
    expect.soft(performance.tables).toEqual(scenario.database?.holds);
  });

  test("all paths agree in everything", () => {
    const [[first, reference] = [], ...others] = [...performances];
    for (const [path, performance] of others) expect(performance, `${path} and ${first}`).toEqual(reference);
  });
});
