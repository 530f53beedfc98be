import { existsSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startConfigs } from "#runtime/start/fields.ts";
import { HttpServer } from "#runtime/triggers/http-server.ts";
import type { PrintedModule } from "../../../compiler/6-print/index.ts";
import { bundled } from "../../harness/bundled.ts";
import { plannedFixture, printedFixture } from "../../harness/compile.ts";
import { evaluate } from "../../harness/evaluate.ts";
import { fixtureFile, fixturesOf, readFixture, wantedFixtures } from "../../harness/folders.ts";
import { judge } from "../../harness/judge.ts";
import { openedBy, openedInFastify } from "../../harness/opened.ts";
import { type Linked, type Performance, type Stage, stage } from "../../harness/performance.ts";
import { type PathName, paths, update } from "../../harness/rules/words.ts";
import { readScenario, type Scenario } from "../../harness/scenario.ts";

// Each test/fixtures/interfaces/<name>: config.yaml is printed as expected.ts, and answers the requests of requests.yaml equally on every
// path.

/** The modules of all fixtures that compile. The file of each has the name of the fixture, so that names differ in the bundle. */
async function modules(): Promise<readonly PrintedModule[]> {
  const all = await Promise.allSettled(wantedFixtures("interfaces").map(async (name) => printedFixture(name, { file: `${name}.yaml` })));
  return all.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
}

test.each(fixturesOf("interfaces"))("%s is a whole fixture", (name) => {
  for (const file of ["config.yaml", "requests.yaml"]) expect(existsSync(fixtureFile("interfaces", name, file)), file).toBe(true);
  // The bundle of all fixtures finds them by name.
  expect(plannedFixture(name).plans.map((plan) => plan.name)).toEqual([name]);
});

/** One bundle of all fixtures that compile, made on first use. */
let bundle: ReturnType<typeof bundled> | undefined;
async function inBundle(name: string): Promise<Linked> {
  bundle ??= modules().then(bundled);
  return (await bundle)(name);
}

async function evaluated(name: string, interpret: boolean, open = openedBy(HttpServer)): Promise<Linked> {
  const { code, action_places = "{}" } = await printedFixture(name, { interpret });
  // The link would add the places. The file is named after the fixture, as in the bundle.
  const places = JSON.stringify({ ...JSON.parse(action_places), file: `${name}.yaml` });
  return { config: { ...(await evaluate(code)), action_places: places }, open, startConfigs };
}

const linkedBy: Readonly<Record<PathName, (name: string) => Promise<Linked>>> = {
  walk: (name) => evaluated(name, true),
  print: (name) => evaluated(name, false),
  bundle: inBundle,
  fastify: (name) => evaluated(name, false, openedInFastify),
};

describe.each(wantedFixtures("interfaces"))("%s", (name) => {
  const performances = new Map<PathName, Performance>();
  let scenario: Scenario;
  let world: Stage;
  beforeAll(async () => {
    scenario = readScenario(name);
    world = await stage(scenario);
  });
  afterAll(() => world.close());

  test("is printed as expected.ts", async () => {
    const { code } = await printedFixture(name);
    const file = fixtureFile("interfaces", name, "expected.ts");
    if (update) writeFileSync(file, code);
    expect(code).toBe(existsSync(file) ? readFixture("interfaces", name, "expected.ts") : "");
  });

  test.each(paths)("%s", async (path) => {
    const performance = await world.perform(await linkedBy[path](name));
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
